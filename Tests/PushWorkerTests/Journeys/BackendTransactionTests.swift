import Postgres
import Store
import TestSupport
import Testing

@testable import PushWorker

/// A backend takes messages back and leaves its transaction open: workers wait for nothing that it holds.
@Suite(.timeLimit(.minutes(10))) struct BackendTransactionTests {
    /// Sessions of this database that wait for a lock.
    private static func waiting(in worker: TestWorker) async throws -> Int64 {
        try await worker.test.number(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
    }

    @Test func anOpenTransactionOfABackendHoldsUpNoWorker() async throws {
        var hub = TestWorker.news
        hub.settleMilliseconds = 0
        let worker = try await TestWorker.make(hub)
        let shop = try await worker.test.login(as: "push_enqueue")
        // To cancel, by id and key; to replace; to send again; and two that wait for gathering.
        _ = try await shop.texts(
            """
            INSERT INTO push.message (hub, tag, content, dedupe_key, content_key, locale)
            VALUES ('news', 'a', '{"message": "1"}', NULL, NULL, NULL), ('news', 'a', '{"message": "2"}', 'k', NULL, NULL),
                   ('news', 'a', '{"message": "3"}', 'l', NULL, NULL), ('news', 'a', '{"message": "4"}', NULL, NULL, NULL),
                   ('news', 'a', '{"message": "5"}', NULL, 'c', 'en'), ('news', 'a', '{"message": "6"}', NULL, 'd', 'en')
            RETURNING id::text
            """)
        _ = try await shop.texts("SELECT answer FROM push.cancel_own(4)")
        try await shop.database.withTransaction { backend in
            for call in [
                "cancel_own('{1,5}')", "cancel_own('k', 'news')", "retry_own(4)",
                #"enqueue('news', 'a', '{"message": "7"}', dedupe_key => 'l', replace => true)"#,
            ] { try await backend.execute("SELECT push.\(raw: call)") }
            try await worker.whileWorking { _ in
                for round: Int64 in 1...3 {
                    try await worker.enqueue(100)
                    try await worker.accepted(Int(round) * 100 + 1)  // and the content that nobody holds
                }
                _ = try await KeyRetention.forget(in: worker.test.database)
                #expect(try await Self.waiting(in: worker) == 0)
            }
            #expect(try await worker.statuses() == "accepted 301, cancelled 1, due 4", "as everybody else sees it")
        }
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 303, cancelled 4")
        #expect(worker.taken.filter { $0.contains("\"4\"") || $0.contains("\"7\"") }.count == 2)
        #expect(worker.taken.count == 303)
        #expect(try await worker.lost() == [])
        #expect(
            try await worker.test.number("SELECT sum(n)::bigint FROM push.tally WHERE status = 'cancelled'") == 5)
    }
}
