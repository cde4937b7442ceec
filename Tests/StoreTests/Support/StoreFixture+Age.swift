import Store
import Testing

extension StoreFixture {
    /// Enqueues messages and has the hub take them; each in a post of its own.
    @discardableResult
    func send(
        _ n: Int, answered: (Int64) -> Completion.Answered = { .accepted($0) }
    ) async throws -> [Int64] {
        let ids = try await insert(n)
        let claim = try #require(try await claim())
        try await intend(ids.map { [$0] }, under: claim.id)
        try await complete((1...n).map { answered(claim.post($0)) }, finished: [claim.id])
        return ids
    }

    /// Makes everything that was written until now older by this many days.
    func age(_ days: Double) async throws {
        let ago = "interval '\(days) days'"
        try await database.script(
            """
            SET LOCAL session_replication_role = replica;       -- without the trigger that refuses changes
            UPDATE push.message SET created_at = created_at - \(ago);
            UPDATE push.result SET at = at - \(ago);
            UPDATE push.post SET at = at - \(ago);
            UPDATE push.answer SET at = at - \(ago);
            UPDATE push.content SET at = at - \(ago);
            UPDATE push.content_taken SET at = at - \(ago);
            UPDATE push.partitioned SET since = since - \(ago);
            """)
    }

    /// Moves on to the next partition of every table.
    func nextPartition() async throws {
        try await database.script(
            """
            SELECT setval(sequence::regclass, (push_internal.number_in_use(p) + 1) * span / per_number)
              FROM push.partitioned p WHERE follows IS NULL
            """)
        _ = try await Schema(database: database).makePartitions()
    }

    func ids(_ table: String) async throws -> [Int64] {
        try await database.query("SELECT DISTINCT id FROM push.\(raw: table) ORDER BY id") { rows in
            try rows.map { row in try row.int64() }
        }
    }

    func purgeOnce(batch: Int32 = 1000) async throws -> [Purge.Step] {
        try await Purge.step(in: database, olderThan: "30 days", batch: batch, keepAudit: "365 days")
    }

    /// Calls it until nothing more is done, like the command: what was deleted, summed up, and what was kept and why.
    func purge(batch: Int32 = 1000) async throws -> [String] {
        var done: [Purge.Step] = []
        while true {
            let steps = try await purgeOnce(batch: batch)
            for step in steps where step.action != "passed" {
                if step.action == "deleted", let index = done.firstIndex(where: { $0.what == step.what }) {
                    done[index].n? += step.n ?? 0
                } else {
                    done.append(step)
                }
            }
            guard steps.contains(where: \.isProgress) else { break }
        }
        return done.map { step in
            let n = step.action == "dropped" ? nil : step.n
            return "\(step.what) \(step.action)" + (n.map { " \($0)" } ?? "")
                + (step.isDeletion ? "" : ": \(step.note)")
        }
    }
}
