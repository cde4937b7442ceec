import ArgumentParser
import Chaos
import CommandLineTool
import Foundation
import Postgres
import PostgresServer
import PushModel

extension ProtocolMutation: ExpressibleByArgument {}

/// The program `fanfare-chaos`, for developers of this repository: what bin/chaos runs. It is apart from `fanfare-lab`, because
/// its hubs speak TLS and HTTP/2, whose libraries the demo does not compile.
@main
struct FanfareChaos: Program {
    static let configuration = CommandConfiguration(
        commandName: "fanfare-chaos",
        abstract: "Break a running Fanfare on purpose and prove that nothing was lost or repeated.",
        discussion: """
            Starts two private PostgreSQL servers, hubs of each kind that remember everything and several workers; enqueues, \
            cancels and resends while workers are killed and stopped, servers restarted and swapped, and connections \
            cut; then checks every message. Exit status: 0 every promise was kept, 1 one was broken.

            With --campaign it sends one campaign instead, kills a worker, then all of them, and restarts the database \
            while it is sent; then checks every recipient. With --steer, too, it sends small runs over two hubs, which a \
            person pauses, resumes, cancels, retries and paces at random while things break.

            Example: bin/chaos --minutes 20 --release
            Example: bin/chaos --campaign --recipients 100000
            Example: bin/chaos --campaign --steer --minutes 10
            """,
        version: fanfareVersion)

    static func failure(of error: any Error) -> Failure? {
        if let error = error as? TemporaryServerError {
            return Failure(
                "no private PostgreSQL", because: "\(error)", hint: "bin/setup installs its programs.",
                status: .unavailable)
        }
        if let error = error as? DatabaseError {
            return Failure("cannot \(error.doing)", because: error.why, status: .unavailable)
        }
        return error as? Failure
    }

    @Flag(help: "Send one campaign and disturb it, instead of everything at once.") var campaign = false

    @Flag(help: "With --campaign: runs over two hubs, steered by a person for --minutes while things break.")
    var steer = false

    @Option(help: "With --campaign: recipients. 1000 to 10000000. Default 1000000, with --steer 3000.")
    var recipients: Int?

    @Option(help: "Minutes during which things are broken. Default 1.") var minutes = 1.0
    @Option(help: "Repeats the schedule of an earlier run. Default: a new one.") var seed: UInt64?
    @Option(help: "Worker processes. 1 to 16. Default 3, with --campaign 2.") var workers: Int?
    @Option(help: "Contents enqueued each second. 1 to 10000.") var rate = 40.0

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

    @Flag(help: "Leave servers' data and logs in /tmp when a promise was broken.") var keep = false
    @Flag(help: "Print the report as JSON.") var json = false

    func validate() throws {
        try require("--minutes", minutes, in: 0.1...1_440)
        try require("--workers", workers, in: 1...16)
        try require("--rate", rate, in: 1...10_000)
        _ = try kinds()
        guard recipients == nil || campaign else { throw ValidationError("--recipients goes with --campaign.") }
        try require("--recipients", recipients, in: 1_000...10_000_000)
        guard campaign || !steer else { throw ValidationError("--steer goes with --campaign.") }
        guard !campaign || only.isEmpty && !asynchronous && sabotage == nil else {
            throw ValidationError("--campaign has its own faults: leave --only, --asynchronous and --sabotage out.")
        }
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
        let seed = seed ?? UInt64.random(in: 1...999_999_999)
        Self.printLine("seed \(seed)")
        do {
            if steer {
                try await steerRuns(seed)
            } else if campaign {
                try await sendCampaign(seed)
            } else {
                try await breakEverything(seed)
            }
        } catch let error as ChaosError {
            throw Failure("the run could not be made", because: "\(error)", status: .unavailable)
        }
    }

    private func sendCampaign(_ seed: UInt64) async throws {
        var options = CampaignRun.Options(seed: seed)
        options.recipients = recipients ?? options.recipients
        options.workers = workers ?? options.workers
        options.keep = keep
        let report = try await CampaignRun(options) { Self.printLine($0) }.run(worker: Self.beside("fanfare"))
        try finish(text: report.text, json: try report.json, directory: report.directory, isGood: report.isGood)
    }

    private func steerRuns(_ seed: UInt64) async throws {
        var options = SteeringRun.Options(seed: seed)
        options.seconds = minutes * 60
        options.recipients = recipients ?? options.recipients
        options.workers = workers ?? options.workers
        options.keep = keep
        let report = try await SteeringRun(options) { Self.printLine($0) }.run(worker: Self.beside("fanfare"))
        try finish(text: report.text, json: try report.json, directory: report.directory, isGood: report.isGood)
    }

    private func breakEverything(_ seed: UInt64) async throws {
        var options = ChaosRun.Options(seed: seed)
        options.seconds = minutes * 60
        options.workers = workers ?? options.workers
        options.rate = rate
        options.isAsynchronous = asynchronous
        options.kinds = try kinds()
        options.sabotage = sabotage
        options.keep = keep
        let report = try await ChaosRun(options) { Self.printLine($0) }.run(worker: Self.beside("fanfare"))
        try finish(text: report.text, json: try report.json, directory: report.directory, isGood: report.isGood)
    }

    private func finish(text: String, json form: String, directory: String, isGood: Bool) throws {
        print(json ? form : text)
        if keep, !isGood { Self.printLine("data and logs: \(directory)") }
        if !isGood { throw ExitCode(1) }
    }

    private static func printLine(_ line: String) {
        // The reader may have gone; the run goes on.
        try? FileHandle.standardError.write(contentsOf: Data("chaos: \(line)\n".utf8))
    }

    /// A program in the directory of this one.
    private static func beside(_ name: String) throws -> String {
        let here = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: here).deletingLastPathComponent().appending(path: name).path()
    }
}
