import Foundation
import Testing

/// A program that is not ours: a linter, or the language of an example.
struct Tool: Sendable, CustomStringConvertible {
    /// What a run left behind.
    struct Ended: CustomStringConvertible {
        let status: Int32
        let output: String
        let errors: String
        var description: String { "exit \(status)\n\(output)\(errors)" }
    }

    /// How it is called; a path, or a name looked up in PATH.
    let name: String
    /// Whether it can be used here.
    let isThere: Bool
    var description: String { name }

    /// - Parameter check: arguments of a call that ends with 0 only if everything the tool needs is there.
    init(_ name: String, check: [String] = ["--version"], environment: [String: String] = [:]) {
        self.name = name
        let process = Self.process(name, check, environment: environment)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
            process.waitUntilExit()
            isThere = process.terminationStatus == 0
        } catch {
            isThere = false
        }
    }

    /// Whether a test should run that needs it. A build machine has everything, so that there its test fails instead.
    var isExpected: Bool { isThere || ProcessInfo.processInfo.environment["CI"] == "true" }

    static let advice: Comment = "its program is missing: bin/setup --test"

    /// Runs it to its end.
    func callAsFunction(
        _ arguments: [String], environment: [String: String] = [:], in directory: URL = Repository.root,
        input: String = ""
    ) async throws -> Ended {
        let folder = try Folder()
        try folder.write(input, to: "input")
        let process = Self.process(name, arguments, environment: environment)
        process.currentDirectoryURL = directory
        process.standardInput = try FileHandle(forReadingFrom: folder.url("input"))
        process.standardOutput = try folder.open("output")
        process.standardError = try folder.open("errors")
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { process in
                let isExit = process.terminationReason == .exit
                continuation.resume(returning: isExit ? process.terminationStatus : -process.terminationStatus)
            }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return Ended(status: status, output: try folder.read("output"), errors: try folder.read("errors"))
    }

    /// Nothing of a developer's own PostgreSQL or Fanfare reaches a program that is tried here.
    static func process(_ name: String, _ arguments: [String], environment: [String: String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("PG") && !$0.key.hasPrefix("FANFARE_") && $0.key != "DATABASE_URL" }
            .merging(environment) { $1 }
        return process
    }
}

extension Tool {
    private static func built(_ name: String) -> String { Repository.url(".build-tools/bin/\(name)").path() }

    static let hadolint = Tool(built("hadolint"))
    static let schemas = Tool(built("check-jsonschema"))
    static let kubernetes = Tool(built("kubernetes-validate"))
    static let yaml = Tool(built("python"), check: ["-c", "import yaml"])
    static let systemd = Tool("systemd-analyze")
    /// Not everywhere may a process look at another.
    static let strace = Tool("strace", check: ["-qq", "-o", "/dev/null", "true"])
    static let shell = Tool("bash")
    static let psql = Tool("psql")
}
