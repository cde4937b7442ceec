import Foundation
import Testing

@testable import HubEmulator

/// The page in headless Chromium: live, dark, narrow, by keyboard, with hostile payloads, after a restart. The steps are in
/// Tests/Browser/emulator_page.py; the screenshots remain in .build/screenshots.
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

    private func emulator(port: Int) throws -> HubEmulator {
        var settings = EmulatorSettings(hubs: [.init("breaking-news"), .init("travel")])
        settings.port = port
        return try HubEmulator(settings)
    }

    @Test(.enabled(if: isExpected, "a program is missing: bin/setup --test")) func thePageIsLive() async throws {
        let shots = Self.root.appending(path: ".build/screenshots")
        try FileManager.default.createDirectory(at: shots, withIntermediateDirectories: true)
        let first = try emulator(port: 0)
        let port = try await first.start()
        let process = Process()
        process.executableURL = URL(filePath: Self.python)
        process.arguments = [
            Self.root.appending(path: "Tests/Browser/emulator_page.py").path(), "http://127.0.0.1:\(port)",
            "breaking-news", shots.path(), Self.chromium ?? "chromium",
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
        #expect(status == 0, "\(errorText.joined(separator: "\n"))")
        #expect(second != nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: shots.path())
        #expect(Set(names).isSuperset(of: ["1-empty.png", "2-light.png", "3-dark.png", "4-narrow-dark.png"]))
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
