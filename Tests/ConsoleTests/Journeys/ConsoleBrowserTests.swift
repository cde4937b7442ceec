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
    private static let python = Tool(
        Repository.url(".build-tools/bin/python").path(), check: ["-c", "import playwright, axe_playwright_python"])
    private static let chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .first(where: FileManager.default.isExecutableFile)

    @Test(.enabled(if: python.isExpected, Tool.advice), .timeLimit(.minutes(10)))
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
        let screenshots = Repository.url(".build/screenshots")
        try FileManager.default.createDirectory(at: screenshots, withIntermediateDirectories: true)
        let ended = try await Self.python([
            "Tests/Browser/console_live.py", files.path, "console", screenshots.path(), Self.chromium ?? "chromium",
        ])
        #expect(ended.status == 0, "\(ended)")
        let names = try FileManager.default.contentsOfDirectory(atPath: screenshots.path())
        #expect(Set(names).isSuperset(of: ["console-light", "console-dark", "console-320"].map { "\($0).png" }))
    }
}
