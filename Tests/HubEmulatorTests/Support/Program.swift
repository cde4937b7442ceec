import Foundation
import Testing

/// Runs an external program in the root folder of the repository.
struct Program: Sendable {
    /// The result of a run.
    struct Ended: CustomStringConvertible {
        let status: Int32
        let output: String
        let errors: String
        var description: String { "exit \(status)\n\(output)\(errors)" }
    }

    static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "../../..").standardized
    static let advice: Comment = "a program is missing: bin/setup --test"

    /// A path relative to the root of the repository, or a name in PATH.
    let name: String

    init(_ name: String) { self.name = name }

    private var path: String { name.contains("/") ? Self.root.appending(path: name).path() : name }

    /// Whether a test that needs it should run. On a build machine the test fails if the program is missing.
    var isExpected: Bool {
        !name.contains("/") || FileManager.default.isExecutableFile(atPath: path)
            || ProcessInfo.processInfo.environment["CI"] == "true"
    }

    /// Whether a test that needs a package of bin/test-tools.txt should run: an older bin/setup did not bring it. On a build
    /// machine the test fails without it.
    static func hasPackage(_ name: String) -> Bool {
        if ProcessInfo.processInfo.environment["CI"] == "true" { return true }
        let libraries = root.appending(path: ".build-tools/lib")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: libraries.path())) ?? []
        return versions.contains {
            FileManager.default.fileExists(atPath: libraries.appending(path: "\($0)/site-packages/\(name)").path())
        }
    }

    /// Runs it and waits for its exit.
    func callAsFunction(_ arguments: [String], environment: [String: String] = [:]) async throws -> Ended {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func open(_ name: String) throws -> FileHandle {
            let url = folder.appending(path: name)
            try Data().write(to: url)
            return try FileHandle(forWritingTo: url)
        }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [path] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.currentDirectoryURL = Self.root
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try open("output")
        process.standardError = try open("errors")
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        func read(_ name: String) throws -> String {
            try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        }
        return Ended(status: status, output: try read("output"), errors: try read("errors"))
    }
}
