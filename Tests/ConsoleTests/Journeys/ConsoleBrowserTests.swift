import Foundation
import HTTPServer
import HTTPTypes
import Pages
import ProgramSupport
import Testing

@testable import Console

/// What style and script make of a page, in headless Chromium: live, dark, narrow, by keyboard, hostile, without script. The
/// steps are in Tests/Browser, which serve the files that are written here; the screenshots remain in .build/screenshots.
@Suite struct ConsoleBrowserTests {
    @Test(.enabled(if: Browser.python.isExpected, Tool.advice), .timeLimit(.minutes(10)))
    func aPageFollowsWhatHappens() async throws {
        let files = try ScratchDirectory()
        for version in 1...6 { try files.write(LookFixture.page(version), to: "\(version).html") }
        try files.write(LookFixture.page(7, live: nil), to: "over.html")
        try files.write(LookFixture.page(1, query: "live=10"), to: "again.html")
        for name in ["console.css", "console.js", "icon.svg"] {
            let file = try #require(ConsoleFile.response(at: [name]))
            try files.write(String(decoding: file.body, as: UTF8.self), to: name)
        }
        let policy = try #require(Response.page("").headers[.contentSecurityPolicy])
        try files.write(policy, to: "policy")
        try await Browser.run("console_live", at: files.path, named: "console")
        for name in ["console-light", "console-dark", "console-320"] { #expect(Browser.hasScreenshot(name)) }
    }

    @Test(.enabled(if: Browser.python.isExpected, Tool.advice), .timeLimit(.minutes(10)))
    func somebodyWritesACampaign() async throws {
        let bench = try await ConsoleBench.make()
        // More than other tests keep a machine busy.
        var options = ConsoleOptions()
        options.statementSeconds = 60
        let console = Console(
            options, behind: OpenDoor(person: Person("Ann", rights: [.campaigns])),
            pages: bench.login.database, acting: bench.login.database.another(maximumConnections: 1),
            warnings: SpokenWarnings(), clock: { Date().timeIntervalSince1970 }, now: { LookFixture.now })
        let port = try await console.start(host: "127.0.0.1", port: 0)
        try await Browser.run("console_writing", at: "http://127.0.0.1:\(port)", named: "console")
        await console.stop()
        #expect(
            try await bench.test.texts("SELECT spec ->> 'rate' FROM push.campaign_revision") == ["50"])
    }
}
