import Postgres
import PushModel

/// People at work while everything breaks: they cancel, decide doubts, send again, pause and resume.
actor OperatorTraffic {
    private let database: Database
    private let backend: Backend
    private var random: SeededRandom
    /// Ids for which push.cancel said `cancelled`.
    private(set) var cancelled: [Int64] = []
    private(set) var actions: [String: Int] = [:]

    init(database: Database, backend: Backend, seed: UInt64) {
        self.database = database
        self.backend = backend
        random = SeededRandom(seed: seed)
    }

    /// Works until it is cancelled.
    func work() async {
        while !Task.isCancelled {
            do throws(DatabaseError) {
                try await act()
            } catch {
                // The database is away: the outcome is unknown, and a person asks again later.
                actions["unanswered", default: 0] += 1
            }
            // Ends early only by cancellation, which ends the loop.
            try? await Task.sleep(for: .milliseconds(Int.random(in: 20...300, using: &random)))
        }
    }

    private func act() async throws(DatabaseError) {
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<30:
            guard let id = await backend.confirmed.suffix(60).randomElement(using: &random) else { return }
            let said = try await database.query("SELECT push.cancel(\(id))") { rows in
                try rows.first { row in try row.string(0) } ?? ""
            }
            if said == "cancelled" { cancelled.append(id) }
            actions["cancel: \(said)", default: 0] += 1
        case 30..<36:
            // Half of the doubts are left alone.
            let decision = ["accepted", "rejected", "resend"].randomElement(using: &random) ?? "resend"
            let count = try await number(
                "SELECT push.resolve(ARRAY(SELECT id FROM push.in_doubt WHERE id % 2 = 0 ORDER BY id LIMIT 5), \(decision))"
            )
            actions["resolve: \(decision)", default: 0] += Int(count)
        case 36, 37:
            let count = try await number(
                """
                SELECT push.retry(ARRAY(SELECT id FROM push.result WHERE status IN ('rejected', 'expired')
                                         ORDER BY at DESC LIMIT 3))
                """)
            actions["retry", default: 0] += Int(count)
        case 38:
            try await database.execute("SELECT push.pause_hub('local')")
            actions["pause", default: 0] += 1
        default:
            try await database.execute("SELECT push.resume_hub('local')")
            actions["resume", default: 0] += 1
        }
    }

    private func number(_ sql: SQL) async throws(DatabaseError) -> Int64 {
        try await database.query(sql) { rows in try rows.first { row in Int64(try row.int32(0)) } ?? 0 }
    }
}
