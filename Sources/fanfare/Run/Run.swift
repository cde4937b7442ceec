import Configuration
import CommandLineTool
import ArgumentParser
import Daemon
import PushModel
import PushWorker
import Foundation
import Logging
import Telemetry

/// `fanfare run`
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Work: post what is due until told to stop.",
        discussion: """
            Waits for its database, at the start and later. SIGTERM or SIGINT: claims nothing more, gives back what has \
            not left, waits for answers at most dispatch.drainSeconds, records everything and ends with 0; a second \
            one of them ends at once, with 143 or 130, and another worker rescues what was held. SIGUSR1: writes its state \
            to the log. SIGHUP: reads file and credentials again and works by them without a pause; if anything is \
            wrong with them the old settings stay and the log says why. A held hub whose settings have changed is tried \
            at once. Several may run on one database. Health is served at \
            console.listen: /livez, /readyz, /startupz; metrics are at /metrics there and at console.metrics.

            Example: fanfare run --config /etc/fanfare/config.json
            """)

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func run() async throws {
        let (settings, threshold) = try options.settingsAndThreshold(.work)
        let log = Logger(label: "fanfare")
        let metrics = MetricsRegistry()
        bootstrapMetrics(metrics, log: log)
        let systemd = SystemdNotify.takeFromEnvironment()
        let options = options
        let service = WorkerService(
            settings, environment: ProcessInfo.processInfo.environment, log: log, threshold: threshold,
            metrics: metrics,
            version: fanfareVersion
        ) { () throws(SettingsError) in
            try options.loadSettings(.work)
        }
        let signals = await Signals(log: log, reload: { service.reload() }, dump: { service.dump() })
        let stopping = Task {
            await signals.stop.wait()
            if !Task.isCancelled { service.stop() }
        }
        defer { stopping.cancel() }
        let summary = try await Failure.saying("cannot work") {
            let interval = systemd?.watchdogInterval
            return try await service.run(
                aliveEvery: min(5, (interval ?? 10) / 2), patience: 2 * (interval ?? 15)
            ) { change in
                Self.notify(systemd, change, log)
            }
        }
        log.notice(
            "stopped",
            metadata: [
                "posts": .stringConvertible(summary.posts), "accepted": .stringConvertible(summary.accepted),
                "rejected": .stringConvertible(summary.rejected),
                "expired": .stringConvertible(summary.expired), "in_doubt": .stringConvertible(summary.inDoubt),
            ])
    }

    private static func notify(_ systemd: SystemdNotify?, _ change: WorkerService.StatusChange, _ log: Logger) {
        do throws(SystemdNotifyError) {
            switch change {
            case .ready: try systemd?.send(.ready)
            case .reloading(let begin): try systemd?.send(.reloading(monotonicMicroseconds: begin))
            case .alive(let messages, let inFlight):
                try systemd?.send(.status("\(messages) messages done, \(inFlight) posts in flight"), .watchdog)
            case .stopping: try systemd?.send(.stopping)
            case .needsTime(let seconds): try systemd?.send(.extendTimeout(seconds: seconds))
            }
        } catch {
            log.warning("\(error)")
        }
    }
}
