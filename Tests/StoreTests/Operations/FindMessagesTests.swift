import Postgres
import Store
import TestSupport
import Testing

/// push.find_messages: which message was it?
@Suite(.serialized, .timeLimit(.minutes(10))) struct FindMessagesTests {
    /// Three customers, an expression, a campaign, a key, and one that ended.
    private func store() async throws -> StoreFixture {
        let store = try await StoreFixture.make()
        try await store.database.script(
            #"""
            INSERT INTO push.message (hub, tag, content) VALUES
                ('news', 'customer-1', '{"m": "x"}'), ('news', 'customer-77', '{"m": "x"}'),
                ('news', 'customer-777', '{"m": "x"}'), ('news', '(vip || customer-777) && !muted', '{"m": "x"}');
            INSERT INTO push.message (hub, tag, content, campaign, run, tenant, dedupe_key)
            VALUES ('news', 'a', '{"m": "x"}', 'spring', 'r1', 'acme', 'k'), ('news', 'a', '{"m": "x"}', 'spring', 'r2', 'acme', 'k');
            INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'later', '{"m": "x"}', now() + interval '1 h');
            SELECT push.cancel(id) FROM push.message WHERE tag = 'customer-1';
            """#)
        return store
    }

    @Test(arguments: [
        ("", ["later", "a", "a", "(vip || customer-777) && !muted", "customer-777", "customer-77", "customer-1"]),
        ("tag => 'customer-777'", ["(vip || customer-777) && !muted", "customer-777"]),
        ("tag => 'customer'", []),
        ("tag => 'vip'", ["(vip || customer-777) && !muted"]),
        ("tag => '(vip || customer-777) && !muted'", ["(vip || customer-777) && !muted"]),
        ("campaign => 'spring'", ["a", "a"]),
        ("campaign => 'spring', run => 'r2'", ["a"]),
        ("tenant => 'acme', tag => 'a'", ["a", "a"]),
        ("tenant => 'nobody'", []),
        ("dedupe_key => 'k', status => 'due'", ["a"]),
        ("status => 'duplicate'", ["a"]),
        ("status => 'cancelled'", ["customer-1"]),
        ("reason => 'cancelled_by_caller'", ["customer-1"]),
        ("status => 'scheduled'", ["later"]),
        ("status => 'due', at_most => 2", ["a", "(vip || customer-777) && !muted"]),
        ("hub => 'sport'", []),
        ("since => now() + interval '1 minute'", []),
        ("until => now() - interval '1 minute'", []),
        ("before => (SELECT min(id) + 2 FROM push.message)", ["customer-77", "customer-1"]),
    ]) func itFinds(_ arguments: String, _ targets: [String]) async throws {
        let store = try await store()
        #expect(try await store.test.texts("SELECT target FROM push.find_messages(\(raw: arguments))") == targets)
    }

    @Test func aStatusThatIsNoneIsRefused() async throws {
        let store = try await StoreFixture.make()
        try await store.insert()
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT push.find_messages(status => 'lost')")
        }
        #expect(error?.message == "push.find_messages: there is no status \"lost\"")
        #expect(error?.hint?.contains("scheduled, waiting, due, claimed, posting, retrying, accepted") == true)
    }

    /// By summaries of pages: without them it would read each of them.
    @Test func aSearchByTagReadsFewPages() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            #"INSERT INTO push.message (hub, tag, content) SELECT 'news', 'customer-' || g, '{"m": "x"}' FROM generate_series(1, 20000) g"#
        )
        try await store.database.execute(
            """
            SELECT brin_summarize_new_values(i.inhrelid) FROM pg_inherits i WHERE i.inhparent = 'push.message_search'::regclass
            """)
        let pages = try await store.test.number(
            "SELECT sum(pg_relation_size(i.inhrelid) / 8192)::bigint FROM pg_inherits i WHERE i.inhparent = 'push.message'::regclass"
        )
        // A session of its own: what another one has read is not counted.
        let fresh = Database(DatabaseSettings(url: store.test.conninfo, maximumConnections: 1))
        let read = try await fresh.withConnection { session in
            try await session.execute("BEGIN")
            let found = try await session.query("SELECT id FROM push.find_messages(tag => 'customer-777')") { $0.count }
            #expect(found == 1)
            let read = try await session.query(
                """
                SELECT sum(pg_stat_get_xact_blocks_fetched(i.inhrelid))::bigint FROM pg_inherits i
                 WHERE i.inhparent = 'push.message'::regclass
                """
            ) { rows in try rows.single { row in try row.int64() } }
            try await session.execute("ROLLBACK")
            return read
        }
        #expect(read < pages / 2, "\(read) of \(pages) pages")
    }
}
