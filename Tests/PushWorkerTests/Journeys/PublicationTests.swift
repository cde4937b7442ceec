import Postgres
import TestSupport
import Testing

/// A publication of all tables, as change data capture makes one, stops nobody: every row can be told from the others.
@Suite(.timeLimit(.minutes(10))) struct PublicationTests {
    @Test func everythingGoesOnBesideAPublicationOfAllTables() async throws {
        let worker = try await TestWorker.make()
        let test = worker.test
        try await test.database.script("SET client_min_messages = error; CREATE PUBLICATION everything FOR ALL TABLES")
        try await worker.enqueue(20)
        try await test.database.script(
            """
            INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'a', '{"m": "later"}', now() + interval '1 day');
            SELECT push.cancel(max(id)) FROM push.message;
            SELECT push.put_device('news', 'd', 'apns', '00FC13AD');
            UPDATE push.timeline SET timeline = '00000000';
            """)
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 20, cancelled 1")
        #expect(try await test.texts("SELECT status::text FROM push.device_status") == ["applied"])
        try await test.database.script("SELECT push_worker.forget_keys_v1(1000); SELECT push.make_partitions()")
    }

    /// Also partitions that are made later: they do not take it from their parent.
    @Test func everyTableHasAKeyOrShowsItsWholeRows() async throws {
        let worker = try await TestWorker.make()
        try await worker.test.database.script(
            """
            SELECT setval('push.claim_id', 900000000), setval(pg_get_serial_sequence('push.message', 'id'), 900000000);
            SELECT push.make_partitions();
            """)
        #expect(
            try await worker.test.texts(
                """
                SELECT c.relname FROM pg_class c
                 WHERE c.relnamespace = 'push'::regnamespace AND c.relkind IN ('r', 'p') AND c.relreplident <> 'f'
                   AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)
                """) == [])
    }
}
