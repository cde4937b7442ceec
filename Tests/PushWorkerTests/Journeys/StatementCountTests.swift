import Foundation
import Postgres
import PushModel
import TestSupport
import Testing

/// How many statements a message costs with a window of 64: a worker waits for each of them. Looks for due messages are not
/// counted, because they go by the clock. The bounds are twice what was measured on 2026-11-22 on two loaded cores; for
/// completions five times, because the recorder gathers for 20 ms and a slow machine gets less done in that time.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StatementCountTests {
    private struct Counts: CustomStringConvertible {
        var claim: Double, intent: Double, complete: Double
        var description: String { "per 1,000 messages: \(claim) claims, \(intent) intents, \(complete) completions" }
    }

    /// The calls of a drain of `count` messages, per 1,000 messages.
    private static func drain(_ count: Int, _ enqueue: (TestWorker) async throws -> Void) async throws -> Counts {
        let worker = try await TestWorker.make()
        // Applies to new sessions, such as the worker's.
        try await worker.test.database.execute("ALTER DATABASE \(name: worker.test.name) SET track_functions = 'pl'")
        try await enqueue(worker)
        let summary = try await worker.drain()
        #expect(summary.accepted == count)
        // A session reports its calls at the latest when it ends.
        let sessions: SQL = """
            SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%push.%_v1%'
            """
        let test = worker.test
        await test.database.close()
        let database = test.another(maximumConnections: 1)
        while try await database.query(sessions, { rows in try rows.single { row in try row.int64() } }) > 0 {
            try Task.checkCancellation()
        }
        func calls(_ name: String) async throws -> Double {
            let calls = try await database.query(
                "SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_user_functions WHERE funcname = \(name)"
            ) { rows in try rows.single { row in try row.int64() } }
            return Double(calls) / Double(count) * 1_000
        }
        let counts = Counts(
            claim: try await calls("claim_v1"), intent: try await calls("intent_v1"),
            complete: try await calls("complete_v1"))
        #expect(counts.claim > 0 && counts.intent > 0 && counts.complete > 0, "nothing was counted")
        await database.close()
        return counts
    }

    @Test func oneMessagePerPost() async throws {
        let counts = try await Self.drain(4_000) { try await $0.enqueue(4_000) }
        // Measured 2.5, under load 6.5: one full claim, and smaller ones until the hub's throughput is known.
        #expect(counts.claim < 12, "\(counts)")
        #expect(counts.intent < 108, "\(counts)")  // measured 61: about 16 posts each
        #expect(counts.complete < 215, "\(counts)")  // measured 40
    }

    @Test func twentyMessagesPerPost() async throws {
        let counts = try await Self.drain(4_000) { worker in
            try await worker.test.database.execute(
                """
                INSERT INTO push.message (hub, tag, content)
                SELECT \(worker.hub.name), 'tag' || n, '{"message": "the same"}' FROM generate_series(1, 4000) n
                """)
        }
        #expect(counts.claim < 8, "\(counts)")  // measured 3
        #expect(counts.intent < 12, "\(counts)")  // measured 5.25: 50 posts for 1,000 messages
        #expect(counts.complete < 58, "\(counts)")  // measured 2.6, on a slow machine 11.5
    }
}
