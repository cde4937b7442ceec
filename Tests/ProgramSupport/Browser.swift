import Foundation
import Testing

/// A headless Chromium that a script of Tests/Browser steers. Screenshots remain in .build/screenshots.
package enum Browser {
    package static let python = Tool(
        Repository.url(".build-tools/bin/python").path(), check: ["-c", "import playwright, axe_playwright_python"])
    private static let chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .first(where: FileManager.default.isExecutableFile)
    private static let screenshots = Repository.url(".build/screenshots")

    /// Runs `Tests/Browser/SCRIPT.py WHERE NAME DIRECTORY BROWSER` to its end, and expects that it found nothing.
    ///
    /// - Parameters:
    ///   - address: `WHERE`: of the first page.
    ///   - name: of the screenshots.
    ///   - more: arguments behind the others.
    package static func run(
        _ script: String, at address: String, named name: String, _ more: String...
    ) async throws {
        try FileManager.default.createDirectory(at: screenshots, withIntermediateDirectories: true)
        let ended = try await python(
            ["Tests/Browser/\(script).py", address, name, screenshots.path(), chromium ?? "chromium"] + more)
        #expect(ended.status == 0, "\(ended)")
    }

    /// Whether a screenshot was taken.
    package static func hasScreenshot(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: screenshots.appending(path: "\(name).png").path())
    }
}
