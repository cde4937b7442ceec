import HTTPTypes
import TestSupport
import Testing

@testable import Console

@Suite struct ConsoleResponderTests {
    private func console(
        _ rights: Set<Right> = Set(Right.allCases), _ options: ConsoleOptions = ConsoleOptions()
    ) async throws -> TestConsole {
        TestConsole(
            try await TestDatabase.make().database, person: Person("Ann <b>", rights: rights), options: options)
    }

    @Test func aPageNamesTheConsoleAndThePerson() async throws {
        var options = ConsoleOptions()
        options.name = "pro<duction"
        let page = try await console([.look], options).page("/about")
        #expect(page.contains("<title>About – pro&lt;duction – Fanfare</title>"))
        #expect(page.contains("Ann &lt;b&gt;"))
        #expect(!page.contains("Ann <b>") && !page.contains("pro<duction"))
    }

    @Test func anUnknownAddressIsSaidToBeOne() async throws {
        let console = try await console()
        for path in ["/nothing", "/about/more", "/%ff", "/about%2F"] {
            let response = try #require(try await console.get(path))
            #expect(response.status == 404, "\(path)")
        }
    }

    @Test func addressesAreBelowTheBasePath() async throws {
        var options = ConsoleOptions()
        options.basePath = "/pushes"
        let console = try await console([.look], options)
        #expect(try await console.get("/pushes/about")?.status == 200)
        #expect(try await console.get("/about")?.status == 404)
        #expect(try await console.page("/pushes/about").contains("href=\"/pushes/console.css\""))
    }

    @Test func anUnchangedPageIsNotSentAgain() async throws {
        let console = try await console()
        let first = try #require(try await console.get("/about"))
        let mark = try #require(first.headers[.eTag])
        let again = try #require(try await console.get("/about", headers: [.ifNoneMatch: mark]))
        #expect(again.status == 304 && again.body.isEmpty)
        #expect(again.headers[.cacheControl] == "no-store")
    }

    @Test func aPersonIsShownWhereOneMayGo() async throws {
        let page = try await console([.approve]).page("/about")
        #expect(!page.contains(">Messages<") && page.contains(">About<"))
    }

    @Test func everyTemplateIsRendered() { #expect(ConsoleTemplates.sources.contains { $0.name == "frame" }) }
}
