import Foundation
import Postgres
import PushModel

/// People who act while everything breaks: they cancel, erase, decide doubts, send again, pause and resume.
actor OperatorTraffic {
    private let database: Database
    private let backend: Backend
    private var random: SeededRandom
    /// For which push.cancel said `cancelled`, and when, in seconds since 1970.
    private(set) var cancelled: [(id: Int64, at: Double)] = []
    /// Messages that push.erase was called for, and those for which it said `erased`.
    private(set) var doomed: [Facts.Forgotten] = []
    private(set) var erased: [Facts.Forgotten] = []
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
        switch Int.random(in: 0..<43, using: &random) {
        case 40...42: try await erase()
        case 0..<30:
            guard let id = await backend.confirmed.suffix(60).randomElement(using: &random)?.id else { return }
            let said = try await database.query("SELECT push.cancel(\(id))") { rows in
                try rows.first { row in try row.string() } ?? ""
            }
            if said == "cancelled" { cancelled.append((id, Date().timeIntervalSince1970)) }
            actions["cancel: \(said)", default: 0] += 1
        case 30..<36:
            // Half of the doubts are left alone.
            let decision = ["accepted", "rejected", "resend"].randomElement(using: &random) ?? "resend"
            let count = try await number(
                "SELECT push.resolve(ARRAY(SELECT id FROM push.in_doubt WHERE id % 2 = 0 ORDER BY id LIMIT 5), \(decision))"
            )
            actions["resolve: \(decision)", default: 0] += Int(count)
        case 36, 37:
            // Not for a phone that is refused for a while: with its new life the row would be tried for minutes.
            let patterns = MessageGenerator.slow.map { $0 + "%" }
            let count = try await number(
                """
                SELECT push.retry(ARRAY(SELECT r.id FROM push.result r JOIN push.message m ON m.id = r.id
                                         WHERE r.status IN ('rejected', 'expired')
                                           AND (m.handles[1] LIKE ANY (\(patterns))) IS NOT TRUE
                                         ORDER BY r.at DESC LIMIT 3))
                """)
            actions["retry", default: 0] += Int(count)
        case 38:
            // More seldom than they are resumed, so that most of the time they work.
            let hub = [TestHub.local, .local, .shop, .ios].randomElement(using: &random) ?? .local
            try await database.execute("SELECT push.pause_hub(\(hub.rawValue))")
            actions["pause", default: 0] += 1
        default:
            try await database.execute("SELECT push.resume_hub(name) FROM push.hub WHERE name <> 'news'")
            actions["resume", default: 0] += 1
        }
    }

    /// A request to be forgotten, for messages of any state.
    private func erase() async throws(DatabaseError) {
        let recent = await backend.confirmed.suffix(80)
        let ids = (0..<3).compactMap { _ in recent.randomElement(using: &random)?.id }
        let before = try await Facts.Forgotten.read(ids, from: database)
        doomed += before
        let asked = before.map(\.id)
        let said = try await database.query("SELECT id, outcome FROM push.erase(\(asked))") { rows in
            try rows.map { row in (try row.int64(), try row.string()) }
        }
        let now = Date().timeIntervalSince1970
        for (id, outcome) in said {
            actions["erase: \(outcome)", default: 0] += 1
            guard outcome == "erased", var row = before.first(where: { $0.id == id }) else { continue }
            row.at = now
            erased.append(row)
        }
    }

    private func number(_ sql: SQL) async throws(DatabaseError) -> Int64 {
        try await database.query(sql) { rows in try rows.first { row in Int64(try row.int32()) } ?? 0 }
    }
}
