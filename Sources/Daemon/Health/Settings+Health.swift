import Configuration
import Logging
import Postgres
import Signing
import Store
import Telemetry

extension Settings {
    /// Starts the health pages where `console.listen` says, and the metrics alone where `console.metrics` says.
    ///
    /// - Parameter seconds: after which a worker whose tasks do not answer counts as dead.
    /// - Returns: one server for each address; none when both are off, or when the default address is taken, which the log
    ///   then says.
    /// - Throws: `HealthServerError` when a server cannot listen on an address that the settings name.
    func serveHealth(
        of vitals: WorkerVitals, metrics: MetricsRegistry, aliveWithin seconds: Double, log: Logger
    ) async throws(HealthServerError) -> [HealthServer] {
        let listening = console.listen.map { address in
            HealthServer(address, metrics: metrics, token: console.metricsToken) { probe in
                var state = vitals.snapshot
                state.trouble = state.current?.progress.trouble
                return state.report(probe, now: vitals.now(), aliveWithin: seconds)
            }
        }
        let telling = console.metrics.map {
            HealthServer($0, setting: "console.metrics", metrics: metrics, token: console.metricsToken, report: nil)
        }
        var servers: [HealthServer] = []
        for server in listening + telling {
            do throws(HealthServerError) {
                let at = "http://\(try await server.start())"
                if server.hasHealth {
                    log.notice("serving health pages", metadata: ["at": "\(at)/readyz"])
                } else {
                    log.notice("serving metrics", metadata: ["at": "\(at)/metrics"])
                }
                servers.append(server)
            } catch {
                guard origins[error.setting] == nil else {
                    for server in servers { await server.stop() }
                    throw error
                }
                log.warning(
                    "cannot serve health pages",
                    metadata: ["error": "\(error)", "hint": "set \(error.setting) to another address, or off"])
            }
        }
        return servers
    }
}

extension WorkerVitals {
    /// Asks a worker's database whether this build can use its schema, and notes the answer.
    func ask(_ database: Postgres.Database) async {
        update { [now = now()] in $0.databaseAsked = now }
        defer { update { $0.databaseAsked = nil } }
        do {
            try await Schema(database: database).require()
            update { [now = now()] state in
                state.databaseAt = now
                state.databaseTrouble = nil
                state.databaseFailsSince = nil
            }
        } catch {
            let trouble = SecretMask.masked("\(error)")
            update { [now = now()] state in
                state.databaseTrouble = trouble
                if state.databaseFailsSince == nil { state.databaseFailsSince = now }
            }
        }
    }
}

extension WorkerVitals.State {
    /// Seconds for which an answer from the database counts, and that a trouble with it may last.
    static let databaseCounts = 10.0

    /// - Parameter seconds: after which a worker whose tasks do not answer counts as dead.
    func report(_ probe: HealthProbe, now: Double, aliveWithin seconds: Double) -> HealthReport {
        switch probe {
        case .livez:
            let ago = max(0, now - tickedAt)
            return HealthReport([
                .init("worker", isGood: ago < seconds, says: "its tasks answered \(Self.words(ago)) ago"),
                transport(now, within: seconds),
            ])
        case .readyz:
            return HealthReport([started, database(now), writing, stopping] + preflightChecks)
        case .startupz:
            return HealthReport([started])
        }
    }

    /// The thread that posts. Without systemd only this check notices that it is stuck.
    private func transport(_ now: Double, within seconds: Double) -> HealthReport.Check {
        let stuck = transportAsked.map { max(0, now - $0) } ?? 0
        let isGood = stuck < seconds
        return .init(
            "transport", isGood: isGood,
            says: isGood ? "its thread responds" : "its thread has not responded for \(Self.words(stuck))")
    }

    private var started: HealthReport.Check {
        .init("started", isGood: current != nil, says: current == nil ? "waits for its database" : "has begun to work")
    }

    private var stopping: HealthReport.Check {
        .init("stopping", isGood: !isStopping, says: isStopping ? "claims nothing more" : "no")
    }

    /// A database that answers and takes no changes: its disk is full, or it is read-only.
    private var writing: HealthReport.Check {
        let isGood = (trouble?.seconds ?? 0) < Self.databaseCounts
        return .init("writing", isGood: isGood, says: trouble?.words ?? "nothing is in its way")
    }

    private func database(_ now: Double) -> HealthReport.Check {
        guard let databaseAt else {
            return .init("database", isGood: false, says: databaseTrouble ?? "has not answered yet")
        }
        let ago = max(0, now - databaseAt)
        let isGood = ago < Self.databaseCounts
        let says = "answered \(Self.words(ago)) ago, with the right schema"
        return .init(
            "database", isGood: isGood, says: isGood ? says : databaseTrouble.map { "\(says); now: \($0)" } ?? says)
    }

    /// Never bad: a worker that has begun goes on, and a restart would not set a clock.
    private var preflightChecks: [HealthReport.Check] {
        guard let preflight else { return [] }
        let clock = preflight.clock
        let difference = "differs from the database's by less than \(Int(ClockDifference.tolerance)) s"
        return [
            .init(
                "clock", isGood: true, says: clock.isTooLarge ? "\(clock.words): \(ClockDifference.remedy)" : difference
            ),
            .init(
                "settings", isGood: true,
                says: preflight.broken.isEmpty ? "as needed" : "\(UnfitDatabase.settings(preflight.broken))"),
        ]
    }

    private static func words(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10) s" }
}
