import Foundation

/// A program that runs beside us.
final class ChildProgram: Sendable {
    let id: pid_t
    private let status: Task<Int32, Never>

    /// Starts it.
    ///
    /// - Parameters:
    ///   - command: the path of the program, and its arguments.
    ///   - log: gets what it prints, at the end.
    ///   - environment: added to a plain one.
    init(
        _ command: [String], log: String, input: FileHandle = .nullDevice, environment: [String: String] = [:]
    ) throws {
        let process = Process()
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = URL(filePath: "/")
        process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
            .merging(environment) { $1 }
        if !FileManager.default.fileExists(atPath: log) {
            _ = FileManager.default.createFile(atPath: log, contents: nil)
        }
        let output = try FileHandle(forWritingTo: URL(filePath: log))
        try output.seekToEnd()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        let (ends, ended) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            let isExit = process.terminationReason == .exit
            ended.yield(isExit ? process.terminationStatus : -process.terminationStatus)
            ended.finish()
        }
        try process.run()
        id = process.processIdentifier
        status = Task {
            for await status in ends { return status }
            return -1
        }
    }

    /// The exit status; negative: the signal that ended it.
    var ended: Int32 { get async { await status.value } }

    func signal(_ signal: Int32) { kill(id, signal) }

    /// SIGHUP, if it would be caught. A program that has just begun does not catch it yet and would end by it; it reads
    /// its settings later anyway.
    func reload() {
        let status = (try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)) ?? ""
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigCgt:") }),
            let caught = line.split(whereSeparator: \.isWhitespace).last.flatMap({ UInt64($0, radix: 16) }),
            caught & 1 << UInt64(SIGHUP - 1) != 0
        else { return }
        signal(SIGHUP)
    }

    /// Runs one to its end.
    ///
    /// - Throws: `ChaosError` with the end of its log when it fails.
    static func run(_ command: [String], log: String) async throws {
        let status = try await ChildProgram(command, log: log).ended
        guard status == 0 else {
            // Without its log the status still helps.
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            throw ChaosError("\(command.joined(separator: " ")) ended with \(status): \(text.suffix(600))")
        }
    }
}

/// Why a run could not be made. That a promise was broken is no error: it is in the report.
public struct ChaosError: Error, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}
