import Foundation
import Testing

/// The built command, run as a shell would run it.
struct Fanfare {
    /// Keys and passwords that stand in the settings of every test. No output may hold one.
    static let secrets = ["c2VjcmV0IG9mIGEgdGVzdA==", "hunter2"]

    /// What a run left behind.
    struct Ended {
        let status: Int32
        let output: String
        let errors: String

        /// The output as JSON.
        func json<T>(_ type: T.Type = T.self) throws -> T {
            let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
            return try #require(value as? T, "not a \(type): \(output)")
        }
    }

    /// Beside the test bundle, whose own executable this process is.
    private static let executable: URL = {
        let here = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = URL(filePath: here).deletingLastPathComponent().appending(path: "fanfare")
        // A runner that lies elsewhere names the bundle in its arguments.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? ""
        let candidates = [beside, URL(filePath: bundle).deletingLastPathComponent().appending(path: "fanfare")]
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path()) } ?? beside
    }()

    let settings: String?
    /// Where the settings lie; stays while this does.
    var scratch: Scratch?
    var environment: [String: String] = [:]

    init(settings: String?, scratch: Scratch? = nil) {
        self.settings = settings
        self.scratch = scratch
    }

    /// Runs it to its end, and looks for secrets in what it printed.
    func callAsFunction(_ arguments: String..., input: String? = nil) async throws -> Ended {
        try await run(arguments, input: input)
    }

    func run(_ arguments: [String], input: String? = nil) async throws -> Ended {
        let scratch = try Scratch()
        let output = try scratch.open("output")
        let errors = try scratch.open("errors")
        if let input { try Data(input.utf8).write(to: scratch.url("input")) }
        let status = try await end(
            arguments, output: output, errors: errors,
            input: input == nil ? .nullDevice : FileHandle(forReadingFrom: scratch.url("input")))
        let ended = Ended(status: status, output: try scratch.read("output"), errors: try scratch.read("errors"))
        for secret in Self.secrets {
            #expect(!ended.output.contains(secret), "\(arguments) printed a secret")
            #expect(!ended.errors.contains(secret), "\(arguments) complained with a secret")
        }
        return ended
    }

    /// As `run`, with the channels given. Returns the exit status.
    func end(
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

    /// Ready to be started, with nothing of the environment that could name other settings or another database.
    func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments + (settings.map { ["--config", $0] } ?? [])
        process.currentDirectoryURL = URL(filePath: "/")  // where no config.json lies
        process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        return process
    }
}
