import Foundation
import Testing

@testable import HubEmulator

/// The page in headless Chromium: live, dark, narrow, by keyboard, with hostile payloads, after a restart; and what it
/// leads to. The steps are in Tests/Browser; the screenshots remain in .build/screenshots.
@Suite struct BrowserTests {
    private static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "../../..").standardized
    private static let python = root.appending(path: ".build-tools/bin/python").path()
    private static let chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .first(where: FileManager.default.isExecutableFile)

    /// On a build machine the test fails if a program is missing, instead of being skipped.
    private static let isExpected: Bool = {
        if ProcessInfo.processInfo.environment["CI"] == "true" { return true }
        let packages =
            (try? FileManager.default.subpathsOfDirectory(
                atPath: root.appending(path: ".build-tools/lib").path())) ?? []
        return chromium != nil && packages.contains { $0.hasSuffix("site-packages/playwright") }
    }()

    private static let categories = #"""
        {"STORY": [], "INVITE_CATEGORY": [{"id": "accept", "title": "Accept", "options": ["foreground"]},
            {"id": "decline", "title": "Decline", "options": ["destructive"]},
            {"id": "reply", "title": "Reply", "textInput": {"placeholder": "Your answer"}}]}
        """#

    private func emulator(port: Int) throws -> HubEmulator {
        var settings = EmulatorSettings(hubs: [.init("breaking-news"), .init("travel")])
        settings.port = port
        settings.categories = try CategoriesFile(json: Array(Self.categories.utf8), file: "categories")
        return try HubEmulator(settings)
    }

    @Test(.enabled(if: isExpected, "a program is missing: bin/setup --test")) func thePageIsLive() async throws {
        let isRestarted = try await run("emulator_page")
        #expect(isRestarted)
        try expectScreenshots(["1-empty", "2-light", "3-dark", "4-narrow-dark"])
    }

    /// A send, filters, pause, clock, forms, tags, schedules, telemetry, registrations.
    @Test(.enabled(if: isExpected, "a program is missing: bin/setup --test")) func thePageDrillsDown() async throws {
        _ = try await run("emulator_drilldown")
        try expectScreenshots(["5-send", "8-tags", "8-tags-narrow", "13-send-dark"])
    }

    private static let screenshots = root.appending(path: ".build/screenshots")

    private func expectScreenshots(_ expected: [String]) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.screenshots.path())
        #expect(Set(names).isSuperset(of: expected.map { "\($0).png" }))
    }

    /// Runs the steps of one file against an emulator of its own.
    ///
    /// - Returns: whether the steps asked for another emulator at the same address.
    private func run(_ name: String) async throws -> Bool {
        try FileManager.default.createDirectory(at: Self.screenshots, withIntermediateDirectories: true)
        let first = try emulator(port: 0)
        let port = try await first.start()
        let process = Process()
        process.executableURL = URL(filePath: Self.python)
        process.arguments = [
            Self.root.appending(path: "Tests/Browser/\(name).py").path(), "http://127.0.0.1:\(port)",
            "breaking-news", Self.screenshots.path(), Self.chromium ?? "chromium",
        ]
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        let errorLines = Self.lines(of: errors)
        let requests = Self.lines(of: output)
        let (ends, ended) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { ended.yield($0.terminationStatus) }
        try process.run()
        var second: HubEmulator?
        for await request in requests where request == "restart" {
            await first.stop()
            let next = try emulator(port: port)
            _ = try await next.start()
            second = next
            try input.fileHandleForWriting.write(contentsOf: Data("done\n".utf8))
        }
        var errorText: [String] = []
        for await line in errorLines { errorText.append(line) }
        let status = await ends.first { _ in true }
        await first.stop()
        await second?.stop()
        #expect(status == 0, "\(name):\n\(errorText.joined(separator: "\n"))")
        return second != nil
    }

    /// Reads on a separate thread, because reading a pipe blocks.
    private static func lines(of pipe: Pipe) -> AsyncStream<String> {
        let (lines, source) = AsyncStream<String>.makeStream()
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread {
            var rest = Data()
            while case let data = handle.availableData, !data.isEmpty {
                rest.append(data)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    source.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            if !rest.isEmpty { source.yield(String(decoding: rest, as: UTF8.self)) }
            source.finish()
        }
        return lines
    }
}
