import ArgumentParser
import Daemon
import Fanout
import Logging

/// `fanfare run`
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Work: post what is due until told to stop.",
        discussion: """
            Waits for its database, at the start and later. SIGTERM or SIGINT: claims nothing more, gives back what has \
            not left, waits for answers at most dispatch.drainSeconds, records everything and ends with 0; a second \
            SIGINT ends at once. Several may run on one database.

            Example: fanfare run --config /etc/fanfare/config.json
            """)

    @OptionGroup var options: CommandOptions

    func run() async throws {
        let settings = try options.settings()
        let log = Logger(label: "fanfare")
        let systemd = SystemdNotify.takeFromEnvironment()
        let stop = StopSignal(log: log)
        let summary = try await Failure.saying("cannot work") {
            try await Worker(settings, log: log).run(
                ready: { notify(systemd, .ready, log) },
                until: { progress in
                    let watching = Task { await watch(progress, systemd, log) }
                    await stop.wait()
                    watching.cancel()
                    notify(systemd, .stopping, log)
                })
        }
        log.notice(
            "stopped",
            metadata: [
                "posts": "\(summary.posts)", "accepted": "\(summary.accepted)", "rejected": "\(summary.rejected)",
                "expired": "\(summary.expired)", "in_doubt": "\(summary.inDoubt)",
            ])
    }

    /// Tells systemd what we do, and that we are alive: through the same tasks that do the work.
    private func watch(_ progress: Dispatcher.Progress, _ systemd: SystemdNotify?, _ log: Logger) async {
        guard let systemd else { return }
        let interval = min(5, (systemd.watchdogInterval ?? 10) / 2)
        while !Task.isCancelled {
            let done = await progress.done
            notify(systemd, .status("\(done.messages) messages done, \(progress.inFlight) posts in flight"), log)
            notify(systemd, .watchdog, log)
            // Ends early only by cancellation, which the loop then sees.
            try? await Task.sleep(for: .seconds(interval))
        }
    }

    private func notify(_ systemd: SystemdNotify?, _ state: SystemdNotify.State, _ log: Logger) {
        do {
            try systemd?.send(state)
        } catch {
            log.warning("\(error)")
        }
    }
}
