import Foundation
import Testing

/// A program that is not ours: a linter, a packager, or the interpreter of an example.
package struct Tool: Sendable, CustomStringConvertible {
    /// The result of a run.
    package struct Ended: CustomStringConvertible {
        package let status: Int32
        package let output: String
        package let errors: String
        package var description: String { "exit \(status)\n\(output)\(errors)" }
    }

    /// A path, or a name that is looked up in PATH.
    package let name: String
    /// Whether the tool is installed and works.
    package let isThere: Bool
    package var description: String { name }

    /// - Parameter check: arguments of a call that exits with 0 only if everything the tool needs is installed.
    package init(_ name: String, check: [String] = ["--version"], environment: [String: String] = [:]) {
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

    /// Whether tests that need the tool run. In CI they always do, so that a missing tool fails them.
    package var isExpected: Bool { isThere || ProcessInfo.processInfo.environment["CI"] == "true" }

    package static let advice: Comment = "its program is missing: bin/setup --test"

    /// Runs it to its end.
    package func callAsFunction(
        _ arguments: [String], environment: [String: String] = [:], in directory: URL = Repository.root,
        input: String = ""
    ) async throws -> Ended {
        let scratch = try ScratchDirectory()
        try scratch.write(input, to: "input")
        let process = Self.process(name, arguments, environment: environment)
        process.currentDirectoryURL = directory
        process.standardInput = try scratch.openToRead("input")
        process.standardOutput = try scratch.open("output")
        process.standardError = try scratch.open("errors")
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { process in
                let isExit = process.terminationReason == .exit
                continuation.resume(returning: isExit ? process.terminationStatus : -process.terminationStatus)
            }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return Ended(status: status, output: try scratch.read("output"), errors: try scratch.read("errors"))
    }

    /// Without the variables of a developer's own PostgreSQL or Fanfare.
    package static func process(_ name: String, _ arguments: [String], environment: [String: String]) -> Process {
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

    private static func monitoring(_ name: String) -> String {
        Repository.url(".build-tools/prometheus/usr/bin/\(name)").path()
    }

    package static let hadolint = Tool(built("hadolint"))
    package static let schemas = Tool(built("check-jsonschema"))
    package static let kubernetes = Tool(built("kubernetes-validate"))
    package static let yaml = Tool(built("python"), check: ["-c", "import yaml"])
    /// Reads metrics and spans with the libraries of their makers.
    package static let readers = Tool(built("python"), check: ["-c", "import prometheus_client, opentelemetry.proto"])
    package static let prometheus = Tool(monitoring("prometheus"))
    package static let promtool = Tool(monitoring("promtool"))
    package static let systemd = Tool("systemd-analyze")
    /// Some containers forbid tracing.
    package static let strace = Tool("strace", check: ["-qq", "-o", "/dev/null", "true"])
    package static let shell = Tool("bash")
    package static let fish = Tool("fish")
    package static let zsh = Tool("zsh")
    package static let groff = Tool("groff")
    package static let mandoc = Tool("mandoc", check: ["/dev/null"])
    package static let lintian = Tool("lintian")
    package static let shellcheck = Tool("shellcheck")
    package static let debian = Tool("dpkg-deb")
    /// The packages that bin/package --verify unpacks.
    package static let runtime = Tool("test", check: ["-e", Repository.url(".build-tools/runtime/Packages").path()])
    package static let psql = Tool("psql")
}
