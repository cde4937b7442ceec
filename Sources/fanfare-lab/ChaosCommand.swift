import ArgumentParser
import Chaos
import CommandLineTool
import Foundation

extension ProtocolMutation: ExpressibleByArgument {}

/// `fanfare-lab chaos`: what bin/chaos runs.
struct ChaosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract: "Break a running Fanfare on purpose and prove that nothing was lost or repeated.",
        discussion: """
            Starts two private PostgreSQL servers, a hub that remembers everything and several workers; enqueues, \
            cancels and resends while workers are killed and stopped, servers restarted and swapped, and connections \
            cut; then checks every message. Exit status: 0 every promise was kept, 1 one was broken.

            Example: bin/chaos --minutes 20 --release
            """)

    @Option(help: "Minutes during which things are broken. Default 1.")
    var minutes = 1.0

    @Option(help: "Repeats the schedule of an earlier run. Default: a new one.")
    var seed: UInt64?

    @Option(help: "Worker processes. 1 to 16.")
    var workers = 3

    @Option(help: "Contents enqueued each second. 1 to 10000.")
    var rate = 40.0

    @Option(
        parsing: .upToNextOption,
        help: "Only these faults: \(InjectedFault.Kind.allCases.map { "\($0)" }.joined(separator: ", ")).")
    var only: [String] = []

    @Flag(help: "The standby is asynchronous and lags when it takes over: count what that loses apart.")
    var asynchronous = false

    @Option(
        help: ArgumentHelp(
            "Take a part of the protocol out, to see that it is missed: "
                + "\(ProtocolMutation.allCases.map(\.rawValue).joined(separator: ", "))."))
    var sabotage: ProtocolMutation?

    @Flag(help: "Leave servers' data and logs in /tmp when a promise was broken.")
    var keep = false

    @Flag(help: "Print the report as JSON.")
    var json = false

    func validate() throws {
        guard (0.1...1_440).contains(minutes) else { throw ValidationError("--minutes is a number from 0.1 to 1440.") }
        guard (1...16).contains(workers) else { throw ValidationError("--workers is a number from 1 to 16.") }
        guard (1...10_000).contains(rate) else { throw ValidationError("--rate is a number from 1 to 10000.") }
        _ = try kinds()
    }

    private func kinds() throws -> [InjectedFault.Kind] {
        if only.isEmpty { return InjectedFault.Kind.allCases }
        return try only.map { name in
            guard let kind = InjectedFault.Kind.allCases.first(where: { "\($0)" == name }) else {
                throw ValidationError("There is no fault \(name).")
            }
            return kind
        }
    }

    func run() async throws {
        var options = ChaosRun.Options(seed: seed ?? UInt64.random(in: 1...999_999_999))
        options.seconds = minutes * 60
        options.workers = workers
        options.rate = rate
        options.isAsynchronous = asynchronous
        options.kinds = try kinds()
        options.sabotage = sabotage
        options.keep = keep
        Self.tell("seed \(options.seed)")
        let run = ChaosRun(options) { Self.tell($0) }
        let report: Report
        do {
            report = try await run.run(worker: Self.beside("fanfare"))
        } catch let error as ChaosError {
            throw Failure("the run could not be made", because: "\(error)", status: .unavailable)
        }
        print(json ? try report.json : report.text)
        if keep, !report.isGood { Self.tell("data and logs: \(report.directory)") }
        if !report.isGood { throw ExitCode(1) }
    }

    private static func tell(_ line: String) {
        // The reader may have gone; the run goes on.
        try? FileHandle.standardError.write(contentsOf: Data("chaos: \(line)\n".utf8))
    }

    /// A program in the directory of this one.
    private static func beside(_ name: String) throws -> String {
        let here = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: here).deletingLastPathComponent().appending(path: name).path()
    }
}
