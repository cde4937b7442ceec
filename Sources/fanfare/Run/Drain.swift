import CommandLineTool
import ArgumentParser
import Daemon
import Files
import Foundation
import PushModel
import PushWorker
import Logging
import Store
import Synchronization
import Telemetry

/// `fanfare drain`
struct Drain: ReportingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Post what is due now, wait for retries, and end: for cron.",
        discussion: """
            Changes of devices that are due are applied, too, and campaigns that run are sent to their end. Ends with 0 when everything is done, 1 when some messages \
            failed for good or are in doubt, or changes of devices were refused, 75 when work is left at --max-runtime, a \
            run of a campaign is paused or waits for a time zone or its window, or another drain holds the lock, 69 when the database is out of reach until --max-runtime. Messages scheduled \
            for later are not waited for. Answers on their way at --max-runtime are \
            waited for, at most dispatch.drainSeconds. With --metrics-file it writes its metrics at the end, for the textfile \
            collector of Prometheus' node_exporter, also when it failed, but not when another drain holds the lock. SIGTERM ends it like --max-runtime, a second one at once; SIGUSR1 writes its \
            state to the log; SIGHUP is ignored.

            Example: fanfare drain --max-runtime 10m --lock campaign-nightly --json
            """)

    @OptionGroup var options: ReportOptions

    @Option(
        help: ArgumentHelp(
            "After which it stops with work left: 90 (seconds), 10m, 1h30m. Default: as long as it takes.",
            valueName: "time"))
    var maxRuntime: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "One drain of a name works at a time, over all machines; a second one ends at once with 75.",
            valueName: "name"))
    var lock = "drain"

    @Option(
        help: ArgumentHelp(
            "Write the metrics of this drain there at its end; the name ends with .prom. A file that cannot be written is "
                + "said on standard error and changes nothing of how the drain ends.", valueName: "path"))
    var metricsFile: String?

    @Flag(help: "Show progress on standard error.") var progress = false

    func validate() throws {
        if let maxRuntime, !(maxRuntime.seconds > 0) {
            throw ValidationError("--max-runtime is \(maxRuntime.seconds); it must be above 0")
        }
        if lock.isEmpty { throw ValidationError("--lock is empty; it must be a name") }
        if let metricsFile, !metricsFile.hasSuffix(".prom") {
            throw ValidationError("--metrics-file is \(metricsFile); its name must end with .prom")
        }
    }

    func report() async throws -> Report {
        let settings = try options.common.settings(.work)
        let log = Logger(label: "fanfare")
        let current = Mutex<Dispatcher.Progress?>(nil)
        let signals = await Signals(log: log, reload: {}) {
            guard let progress = current.withLock({ $0 }) else { return log.notice("state: waits for its database") }
            Task { await progress.dump(to: log) }
        }
        let meter = progress ? ProgressLine() : nil
        let metrics = metricsFile.map { DrainMetrics($0) }
        let registry = metrics?.registry ?? MetricsRegistry()
        if metrics != nil { bootstrapMetrics(registry, log: log) }
        let exporter = SpanExporter(ProcessInfo.processInfo.environment, metrics: registry, log: log)
        let drained: Worker.DrainResult
        do {
            drained = try await Failure.saying("cannot drain") {
                try await Worker(settings, log: log, metrics: registry, exporter: exporter).drain(
                    within: maxRuntime?.seconds, lock: lock, until: signals.stop,
                    report: { view, left in
                        current.withLock { $0 = view }
                        let done = await view.done
                        await meter?.show(
                            done: done.messages + view.devices.ended, left: left, inFlight: view.inFlight)
                    })
            }
        } catch let refused as DrainRefused {
            let failure = Failure(
                "cannot drain", because: "\(refused)", hint: "Wait for its end, or name another with --lock.",
                status: .tryLater)
            return Report("", Self.document(nil, .locked)).failing(with: failure, always: true)
        } catch {
            write(metrics, isDone: false, left: nil)
            throw error
        }
        await meter?.end()
        let outcome = Outcome(of: drained)
        write(metrics, isDone: outcome == .done, left: drained.left)
        return Report(Self.text(drained), Self.document(drained, outcome), status: outcome.status)
    }

    /// A drain ends as it would without the file.
    private func write(_ metrics: DrainMetrics?, isDone: Bool, left: Int64?) {
        do throws(FileFault) {
            try metrics?.write(isDone: isDone, left: left)
        } catch {
            let failure = Failure(
                "cannot write \(metricsFile ?? "the metrics")", because: error.reason,
                hint: "Make the directory, and let this user write there.", status: .cannotWrite)
            StandardStreams.printError(failure.text())
        }
    }

    /// How a drain ended, in one word.
    enum Outcome: String {
        case done
        /// Some messages failed for good or are in doubt, or changes of devices were refused.
        case failed
        /// The time was up, or it was asked to stop.
        case left
        /// Another drain works.
        case locked

        init(of drained: Worker.DrainResult) {
            let summary = drained.summary
            if drained.left > 0 || drained.runs.working + drained.runs.paused > 0 {
                self = .left
            } else {
                let bad = summary.rejected + summary.expired + summary.inDoubt + summary.devices.refused
                self = bad > 0 ? .failed : .done
            }
        }

        var status: ExitStatus {
            switch self {
            case .done: .ok
            case .failed: .someFailed
            case .left, .locked: .tryLater
            }
        }
    }

    private static func document(_ drained: Worker.DrainResult?, _ outcome: Outcome) -> JSONOutput {
        let summary = drained?.summary ?? Dispatcher.Summary()
        return .object([
            "accepted": .number(summary.accepted), "expired": .number(summary.expired),
            "runs_open": .number(drained.map { $0.runs.working + $0.runs.paused }),
            "in_doubt": .number(summary.inDoubt), "left": .number(drained?.left), "outcome": .text(outcome.rawValue),
            "posts": .number(summary.posts), "rejected": .number(summary.rejected),
            "retried": .number(summary.retrying),
            "devices": .object([
                "applied": .number(summary.devices.applied), "refused": .number(summary.devices.refused),
                "superseded": .number(summary.devices.superseded),
            ]),
        ])
    }

    private static func text(_ drained: Worker.DrainResult) -> String {
        let summary = drained.summary
        var parts = ["\(summary.accepted) accepted in \(HumanFormat.count(summary.posts, "post"))"]
        if summary.rejected > 0 { parts.append("\(summary.rejected) rejected") }
        if summary.expired > 0 { parts.append("\(summary.expired) expired") }
        if summary.inDoubt > 0 { parts.append("\(summary.inDoubt) in doubt (fanfare doubt list)") }
        if summary.devices.ended > 0 {
            parts.append("\(HumanFormat.count(summary.devices.applied, "change")) of devices applied")
            if summary.devices.superseded > 0 { parts.append("\(summary.devices.superseded) superseded") }
            if summary.devices.refused > 0 {
                parts.append("\(summary.devices.refused) refused (fanfare device list --status refused)")
            }
        }
        if drained.left > 0 { parts.append("\(drained.left) left") }
        let runs = drained.runs
        if runs.working > 0 { parts.append("\(HumanFormat.count(runs.working, "run")) of campaigns not over") }
        if runs.paused > 0 {
            parts.append(
                "\(HumanFormat.count(runs.paused, "run")) of campaigns paused or waiting (fanfare campaign status)")
        }
        return parts.joined(separator: ", ")
    }
}
