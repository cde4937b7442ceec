import Postgres
import Store
import TestSupport
import Testing

/// Looking for changes of devices; what is found by which filter: DeviceTests of the command line.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DeviceSearchTests {
    @Test func ofEachHubTheNewestChangesOfADeviceAreShown() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("SELECT push.add_hub('sport')")
        var news: [Int64] = []
        var sport: [Int64] = []
        for _ in 1...3 {
            news.append(try await store.put("phone"))
            sport.append(try await store.put("phone", hub: "sport"))
            try await store.put("other")
        }
        let search = DeviceSearch(database: store.database)
        let both = try await search.changes(of: "phone", at: nil, limit: 2)
        #expect(both.map(\.id) == [news[2], news[1], sport[2], sport[1]])
        #expect(both.map(\.hub) == ["news", "news", "sport", "sport"])
        #expect(try await search.changes(of: "phone", at: "sport", limit: 9).map(\.id) == sport.reversed())
        #expect(try await search.changes(of: "nobody", at: nil, limit: 9).isEmpty)
        #expect(try await search.changes(of: "phone", at: "nws", limit: 9).isEmpty)

        let documents = try #require(try await search.documents(of: [news[0], sport[0]]))
        #expect(documents.count == 2 && documents[news[0]]?.contains(#""platform" : "apns""#) == true)
        let monitor = try await store.test.login(as: "push_monitor")
        #expect(try await DeviceSearch(database: monitor.database).documents(of: news) == nil)
        await monitor.database.close()
    }

    /// The last change before a moment is found by halving, whatever gaps the numbers have.
    @Test func whatIsOlderIsNotLookedAt() async throws {
        let store = try await StoreFixture.make()
        #expect(try await store.test.number("SELECT push_internal.last_change_before(now())") == 0)
        try await store.database.script(
            """
            INSERT INTO push.installation_change (id, hub, device, action, document, at) OVERRIDING SYSTEM VALUE
            SELECT n * n, 1, 'd' || n, 'drop', '{}', now() - make_interval(hours => 100 - n) FROM generate_series(1, 100) n
            """)
        for n in [1, 2, 50, 99, 100] {
            // Half an hour before change n was made, n - 1 of them were there.
            let found = try await store.test.number(
                """
                SELECT count(*) FROM push.installation_change c
                 WHERE c.id <= push_internal.last_change_before(now() - make_interval(mins => \(Int32(100 - n) * 60 + 30)))
                """)
            #expect(found == Int64(n - 1), "\(n)")
        }
        #expect(try await store.test.number("SELECT push_internal.last_change_before(NULL)") == 10_000)
        #expect(try await store.test.number("SELECT push_internal.last_change_before('infinity')") == 10_000)
    }

    /// Rows that are read must not depend on what PostgreSQL believes of the tables: here it was told that they are empty.
    @Test(
        arguments: [
            (nil, nil, nil), ("news", nil, nil), (nil, "d7", nil), ("news", "d7", "waiting"), (nil, nil, "waiting"),
            (nil, nil, "refused"), ("news", nil, "refused"),
        ] as [(String?, String?, String?)])
    func aPageReadsLittleWhateverTheStatistics(hub: String?, device: String?, status: String?) async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            """
            ANALYZE push.installation_change, push.installation_result, push.installation_due, push.installation_claim;
            ALTER TABLE push.installation_change SET (autovacuum_enabled = off);
            ALTER TABLE push.installation_result SET (autovacuum_enabled = off);
            INSERT INTO push.installation_change (hub, device, action, document)
            SELECT 1, 'd' || n, 'drop', '{}' FROM generate_series(1, 20000) n;
            INSERT INTO push.installation_result (id, status)
            SELECT c.id, (CASE WHEN c.id % 500 = 0 THEN 'refused' ELSE 'applied' END)::push.change_status
              FROM push.installation_change c WHERE c.id <> 7;
            INSERT INTO push.installation_due (due_at, id, hub, device) VALUES (now(), 7, 1, 'd7');
            """)
        let rows: SQL = """
            SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::bigint
              FROM pg_stat_xact_user_tables WHERE schemaname = 'push' AND relname LIKE 'installation%'
            """
        let read = try await store.database.withTransaction { connection in
            let before = try await connection.query(rows) { rows in try rows.single { row in try row.int64() } }
            try await connection.execute(
                """
                SELECT count(*) FROM push.find_changes(
                    \(hub), \(device), \(status), now() - interval '1 day', at_most => 5)
                """)
            return try await connection.query(rows) { rows in try rows.single { row in try row.int64() } } - before
        }
        #expect(read < 1000, "\(read) rows")
        var filter = DeviceSearch.Filter(limit: 5)
        (filter.hub, filter.device, filter.status, filter.since) = (hub, device, status, .ago("1d"))
        let found = try await DeviceSearch(database: store.database).find(filter)
        #expect(found.count == (device == nil && status != "waiting" ? 5 : 1))
    }
}
