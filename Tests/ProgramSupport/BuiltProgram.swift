import Foundation
import Testing

/// One of the built programs, run as a shell would run it.
package struct BuiltProgram {
    /// Keys and passwords that stand in the settings of every test. No output may hold one.
    package static let secrets = ["c2VjcmV0IG9mIGEgdGVzdA==", "hunter2"]

    /// What a run left behind.
    package struct Ended {
        package let status: Int32
        package let output: String
        package let errors: String

        /// The output as JSON.
        package func json<T>(_ type: T.Type = T.self) throws -> T {
            let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
            return try #require(value as? T, "not a \(type): \(output)")
        }
    }

    /// Where one of our programs was built: beside the test bundle, whose own executable this process is.
    package static func path(of name: String) -> String {
        let here = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        // A runner that lies elsewhere names the bundle in its arguments.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? ""
        let candidates = [here, bundle].map {
            URL(filePath: $0).deletingLastPathComponent().appending(path: name).path()
        }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? candidates[0]
    }

    /// `fanfare`, `fanfare-emulator`, `fanfare-lab` or `fanfare-chaos`; or a path.
    package let name: String
    package let settings: String?
    /// Where the settings lie; stays while this does.
    package var scratch: ScratchDirectory?
    package var environment: [String: String] = [:]
    /// What it goes by; nil: the clock of this process.
    package var clock: MovedClock?

    package init(_ name: String = "fanfare", settings: String?, scratch: ScratchDirectory? = nil) {
        self.name = name
        self.settings = settings
        self.scratch = scratch
    }

    /// Runs it to its end, and looks for secrets in what it printed.
    package func callAsFunction(_ arguments: String..., input: String? = nil) async throws -> Ended {
        try await run(arguments, input: input)
    }

    package func run(_ arguments: [String], input: String? = nil) async throws -> Ended {
        let scratch = try ScratchDirectory()
        let output = try scratch.open("output")
        let errors = try scratch.open("errors")
        if let input { try Data(input.utf8).write(to: scratch.url("input")) }
        let status = try await end(
            arguments, output: output, errors: errors,
            input: input == nil ? .nullDevice : scratch.openToRead("input"))
        let ended = Ended(status: status, output: try scratch.read("output"), errors: try scratch.read("errors"))
        for secret in Self.secrets {
            #expect(!ended.output.contains(secret), "\(arguments) printed a secret")
            #expect(!ended.errors.contains(secret), "\(arguments) complained with a secret")
        }
        return ended
    }

    /// As `run`, with the channels given. Returns the exit status.
    package func end(
        _ arguments: [String], output: FileHandle, errors: FileHandle, input: FileHandle = .nullDevice
    ) async throws -> Int32 {
        let process = self.process(arguments)
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { process in
                // A signal is no exit status; the tests expect none.
                let isExit = process.terminationReason == .exit
                continuation.resume(returning: isExit ? process.terminationStatus : -process.terminationStatus)
            }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Ready to be started, with nothing of the environment that could name other settings or another database. Where the
    /// tests go by a moved clock, so does the program, unless it has its own.
    package func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: name.hasPrefix("/") ? name : Self.path(of: name))
        process.arguments = arguments + (settings.map { ["--config", $0] } ?? [])
        process.currentDirectoryURL = URL(filePath: "/")  // where no config.json lies
        process.environment = ["PATH": "/usr/bin:/bin"].merging(clock?.environment ?? MovedClock.inherited) { $1 }
            .merging(environment) { $1 }
        return process
    }
}
