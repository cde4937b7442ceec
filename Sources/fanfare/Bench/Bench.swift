import Concurrency
import Configuration
import CommandLineTool
import ArgumentParser
import Foundation
import PushModel
import Telemetry
import UnixSignals

/// `fanfare bench`
struct Bench: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure this installation: its database and what the whole can do, or one hub.",
        discussion: """
            Without --hub nothing is sent to anybody. It makes a database of its own, fanfare_bench_…, on the server of the \
            settings (the role needs CREATEDB; your tables are not touched), measures round trips, commits, enqueuing and \
            the worker's statements, then runs a worker against an HTTP server in this process that accepts everything, says what limits it, and \
            drops the database, also after Ctrl-C. It loads the server for about half a minute.

            With --hub it REALLY SENDS: --messages notifications (50 unless you say otherwise, at most 1000) to the \
            devices with one tag. It asks first, unless you say --yes, and needs no database. It stops at the first \
            answer that is no acceptance. A hub's ratePerSecond is kept.

            Exits 0 done, 1 the hub refused a message for good, 64 wrong command line or not confirmed, 69 server or hub \
            out of reach, 75 throttled, 77 the role may not create a database, 78 the hub refuses our key.

            Example: fanfare bench --messages 50000 --json

            Example: fanfare bench --hub news --tag load-test --messages 100
            """)

    @Option(
        help: ArgumentHelp(
            "Messages the whole is measured with, 1000 to 1000000, default 20000; with --hub: to send, 1 to 1000, "
                + "default 50.", valueName: "number"))
    var messages: Int?

    @Option(help: ArgumentHelp("Posts in flight at once, 1 to 512. Default: 64, with --hub 8.", valueName: "posts"))
    var window: Int?

    @Option(help: ArgumentHelp("Send to this hub of the settings, for real.", valueName: "name"), completion: .hub)
    var hub: String?

    @Option(help: "With --hub: the one tag to send to. No expression, no broadcast.") var tag: String?

    @Option(
        name: .customLong("property"),
        help: ArgumentHelp(
            "With --hub: a property of what is sent. Repeatable. Default: message=\"fanfare bench\".",
            valueName: "name=text"))
    var properties: [KeyValue] = []

    @Flag(help: "With --hub: do not ask back; this really sends.") var yes = false
    @OptionGroup var options: ReportOptions

    func validate() throws {
        try require("--window", window, in: 1...512)
        guard hub == nil else { return try validateSending() }
        if tag != nil || yes || !properties.isEmpty {
            throw ValidationError("--tag, --property and --yes go with --hub: without it nothing is sent.")
        }
        try require("--messages", messages, in: 1_000...1_000_000)
    }

    private func validateSending() throws {
        if let messages, !(1...BenchSending.most).contains(messages) {
            throw ValidationError(
                "--messages with --hub is a number from 1 to \(BenchSending.most): they are really sent.")
        }
        guard let tag else { throw ValidationError("Say with --tag to whose devices the messages go.") }
        do throws(TagError) {
            _ = try Tag(tag)
        } catch {
            throw ValidationError("--tag \(tag) is not one tag: \(error)")
        }
    }

    func report() async throws -> Report {
        if let hub, let tag {
            let sending = BenchSending(
                hub: try HubClient(hub, of: try options.common.settings()), tag: tag, count: messages ?? 50,
                atOnce: window ?? 8, properties: properties)
            return try await BenchHub(sending: sending, isConfirmed: yes).run()
        }
        return try await measure()
    }

    private func measure() async throws -> Report {
        let settings = try options.common.loadSettings(.database)
        // The worker's log adds nothing to the report; that its database goes away at the end is expected.
        let threshold = bootstrapLogging(
            level: options.common.logLevel ?? .error, format: options.common.logFormat ?? .auto)
        let trapped = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        let opening = Task { try await ScratchDatabase.make(at: settings.database.url.reveal()) }
        let signals = CleanupSignals(trapped) {
            threshold.level = .critical
            // A database that could not be created has left nothing behind.
            let isGone = await (try? opening.value)?.drop() ?? true
            StandardStreams.printError(
                "fanfare: the bench was interrupted" + (isGone ? "; nothing is left behind" : ""))
        }
        let facts = try await withCleanup {
            let ground = try await opening.value
            for name in ground.cleared {
                StandardStreams.printError(
                    "fanfare: dropped database \(name), which a bench that was killed had left behind")
            }
            return try await measure(on: ground, settings, unless: { signals.isLeaving })
        } then: {
            await signals.standAside()
            // Why it could not be made is thrown.
            if let ground = try? await opening.value { await ground.drop() }
        }
        return Report(BenchReport(facts: facts).text, facts.json)
    }

    private func measure(
        on ground: ScratchDatabase, _ settings: Settings, unless isLeaving: @escaping @Sendable () -> Bool
    ) async throws -> BenchResults {
        let progress = ProgressLine()
        let plan = BenchPlan(messages: messages ?? 20_000, window: window ?? 64)
        do {
            return try await withCleanup {
                let bench = try await BenchEnvironment.open(on: ground, settings, plan)
                return try await withCleanup {
                    try await bench.measure { step in
                        if isLeaving() { throw CancellationError() }
                        await progress.show(step)
                    }
                } then: {
                    await bench.close()
                }
            } then: {
                await progress.end()
            }
        } catch let error where !isLeaving() {
            throw Failure(of: error) ?? error
        }
    }
}
