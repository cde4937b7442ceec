import Foundation
import Postgres
import ProgramSupport
import TestSupport
import Testing

/// docs/enqueue/*: each program runs with a login that may only enqueue, in every language that Debian has a driver for.
@Suite struct EnqueueProgramTests {
    @Test(arguments: Language.all.filter(\.tool.isExpected))
    func aMessageIsKeptWithItsOrderOrNotAtAll(language: Language) async throws {
        let shop = try await Shop.open()
        let arguments = language.arguments.map {
            $0.replacing("{database}", with: shop.worker.test.name).replacing("{user}", with: shop.login)
        }
        let ended = try await language.tool(
            arguments, environment: shop.environment(user: shop.login).merging(language.environment) { $1 })

        // Every program prints what the page shows; psql prints its hint to standard error.
        let shown = try #require(shop.page.blocks("text").first { $0.text.hasPrefix("order 1:") }).text + "\n"
        if language.description == "psql" {
            let parts = shown.components(separatedBy: "hint: ")
            #expect(ended.status == 0 && ended.output == parts[0], "\(ended)")
            #expect(ended.errors.contains("HINT:  \(parts[1])"), "\(ended)")
        } else {
            #expect(ended.status == 0 && ended.output == shown && ended.errors.isEmpty, "\(ended)")
        }

        // What the table of calls shows is what ran.
        let shownCalls = shop.page.text.matches(of: #/\| \[[^\]]+\]\(([^)]+)\)[^|]*\| `+(.+?)`+ \|/#)
        #expect(shownCalls.count == 7)
        for call in shownCalls {
            let program = try Repository.text("docs/\(call.1)")
            #expect(program.contains(call.2), "docs/\(call.1)")
        }

        let test = shop.worker.test
        #expect(
            try await test.texts(
                "SELECT customer || CASE WHEN shipped_at IS NULL THEN '' ELSE ' shipped' END FROM orders")
                == [language.description == "psql" ? "42" : "42 shipped"])
        #expect(
            try await test.texts("SELECT id || ' ' || tag || coalesce(' ' || locale, '') FROM push.message ORDER BY id")
                == ["1 customer-42", "3 customer-42 en", "4 customer-42 fr", "5 customer-42", "6 customer-42"])

        try await shop.worker.drain()
        #expect(try await shop.worker.statuses() == "accepted 3, cancelled 2")
        #expect(shop.worker.taken.count == 2, "the two languages are one post")
        #expect(try await shop.worker.lost() == [])
    }

    /// Fails on a build machine when a language is missing.
    @Test(arguments: Language.all)
    func aLanguageOfThePageCanBeRunHere(language: Language) {
        withKnownIssue("bin/setup --test installs it", isIntermittent: true) {
            #expect(language.tool.isThere, "\(language)")
        } when: {
            !language.tool.isExpected
        }
    }
}
