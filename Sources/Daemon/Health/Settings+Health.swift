import Logging
import Postgres
import Store
import Telemetry

extension Settings {
    /// Starts the health pages where `console.listen` says.
    ///
    /// - Parameter seconds: after which a worker whose tasks do not answer counts as dead.
    /// - Returns: nil: nowhere, because it is off, or because the address that nobody chose is taken; then a line in the log
    ///   says so.
    /// - Throws: `HealthServerError` when an address that somebody chose cannot be listened on.
    func serveHealth(
        of vitals: WorkerVitals, aliveWithin seconds: Double, log: Logger
    ) async throws(HealthServerError) -> HealthServer? {
        guard let address = console.listen else { return nil }
        let server = HealthServer(host: address.host, port: address.port) { probe in
            vitals.look.report(probe, now: vitals.now(), aliveWithin: seconds)
        }
        do throws(HealthServerError) {
            let port = try await server.start()
            let listening = ListenAddress(host: address.host, port: port)
            log.notice("health is told over HTTP", metadata: ["at": "http://\(listening)/readyz"])
            return server
        } catch {
            guard origins["console.listen"] == nil else { throw error }
            log.warning(
                "health is told nowhere",
                metadata: ["error": "\(error)", "hint": "set console.listen to another address, or off"])
            return nil
        }
    }
}

extension WorkerVitals {
    /// Asks a worker's database whether it has the right schema.
    func ask(_ database: Postgres.Database) async {
        note { [now = now()] in $0.databaseAsked = now }
        defer { note { $0.databaseAsked = nil } }
        do {
            try await Schema(database: database).require()
            note { [now = now()] state in
                state.databaseAt = now
                state.databaseTrouble = nil
                state.databaseFailsSince = nil
            }
        } catch {
            let words = Redaction.masked("\(error)")
            note { [now = now()] state in
                state.databaseTrouble = words
                if state.databaseFailsSince == nil { state.databaseFailsSince = now }
            }
        }
    }
}

extension WorkerVitals.State {
    /// Seconds for which an answer of the database counts.
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
            return HealthReport([started, database(now), stopping])
        case .startupz:
            return HealthReport([started])
        }
    }

    /// The thread that posts: where there is no systemd nobody else would see it stand still.
    private func transport(_ now: Double, within seconds: Double) -> HealthReport.Check {
        let stuck = transportAsked.map { max(0, now - $0) } ?? 0
        let isGood = stuck < seconds
        return .init(
            "transport", isGood: isGood,
            says: isGood ? "its thread turns" : "its thread has made no turn for \(Self.words(stuck))")
    }

    private var started: HealthReport.Check {
        .init("started", isGood: current != nil, says: current == nil ? "waits for its database" : "has begun to work")
    }

    private var stopping: HealthReport.Check {
        .init("stopping", isGood: !isStopping, says: isStopping ? "claims nothing more" : "no")
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

    private static func words(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10) s" }
}
