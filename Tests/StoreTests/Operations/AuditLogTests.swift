import Postgres
import TestSupport
import Testing

@testable import Store

/// What people did; what each filter finds: AuditPageTests of the console.
@Suite(.serialized, .timeLimit(.minutes(10))) struct AuditLogTests {
    /// 100,000 entries, one a minute until now; every hundredth is of a person of its own.
    private static let large = Task {
        let store = try await StoreFixture.make()
        try await store.database.script(
            """
            ALTER TABLE push.audit SET (autovacuum_enabled = off);
            INSERT INTO push.audit (at, person, who, action, detail)
            SELECT now() - make_interval(mins => 100000 - g), CASE WHEN g % 100 = 0 THEN 'rare' || g % 1000 ELSE 'anna' END, 'console',
                   CASE WHEN g = 50000 THEN 'purge' ELSE 'retry' END, '{"messages": 1}'
              FROM generate_series(1, 100000) g;
            """)
        return store
    }

    private static func filter(_ change: (inout AuditLog.Filter) -> Void) -> AuditLog.Filter {
        var filter = AuditLog.Filter(limit: 51)
        change(&filter)
        return filter
    }

    private static let filters = [
        filter { _ in }, filter { $0.before = 40_000 }, filter { $0.person = "rare0" }, filter { $0.person = "nobody" },
        filter { $0.action = "purge" }, filter { $0.since = .ago("1h") }, filter { $0.since = .ago("30d") },
        filter { $0.until = .ago("60d") }, filter { ($0.since, $0.until) = (.ago("61d"), .ago("60d")) },
        filter { $0.until = .at("2001-01-01T00:00:00Z") }, filter { $0.since = .at("2101-01-01T00:00:00Z") },
        filter { ($0.person, $0.since) = ("rare100", .ago("1d")) },
    ]

    /// Whatever PostgreSQL believes of the table: at first that it is empty.
    @Test func aPageReadsLittleWhateverTheFilter() async throws {
        let store = try await Self.large.value
        for analysed in [false, true] {
            if analysed { try await store.database.execute("ANALYZE push.audit") }
            for filter in Self.filters {
                #expect(try await store.pages(of: AuditLog.statement(filter)) < 500, "\(filter), analysed: \(analysed)")
            }
        }
    }

    @Test func timesAreExactAlthoughTheyBecomeIDs() async throws {
        let store = try await Self.large.value
        let found = try await AuditLog(database: store.database).find(
            Self.filter { ($0.since, $0.until) = (.ago("90m"), .ago("60m")) })
        // One a minute, and the clock went on since.
        #expect((29...31).contains(found.count))
        #expect(found.map(\.id) == found.map(\.id).sorted(by: >))
    }

    /// A clock that was set back by less than an hour makes a later entry seem older.
    @Test func anEntryOfAClockThatWasSetBackIsFound() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            """
            TRUNCATE push.audit;
            INSERT INTO push.audit (action, at) VALUES
                ('first', '2026-01-01 10:00Z'), ('ahead', '2026-01-01 10:50Z'), ('back', '2026-01-01 10:10Z'), ('last', '2026-01-01 10:20Z');
            """)
        let log = AuditLog(database: store.database)
        let since = try await log.find(Self.filter { $0.since = .at("2026-01-01T10:10:00Z") })
        #expect(since.map(\.action) == ["last", "back", "ahead"])
        let until = try await log.find(Self.filter { $0.until = .at("2026-01-01T10:20:00Z") })
        #expect(until.map(\.action) == ["last", "back", "first"])
    }

    @Test func whatIsLongInAnEntryIsShortened() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            """
            TRUNCATE push.audit;
            INSERT INTO push.audit (action, detail) VALUES
                ('short', '{"ids": [1, 2]}'),
                ('list', json_build_object('ids', ARRAY(SELECT generate_series(1, 10000)), 'messages', 10000)),
                ('text', json_build_object('why', repeat('x', 5000))), ('odd', to_json(repeat('y', 5000)));
            """)
        let found = try await AuditLog(database: store.database).find(Self.filter { _ in })
        #expect(found.map(\.action) == ["odd", "text", "list", "short"])
        #expect(found[3].detail == #"{"ids": [1, 2]}"#)
        #expect(found[2].detail == #"{ "ids" : "10000 values", "messages" : 10000 }"#)
        #expect(found[1].detail.utf8.count < 1_100 && found[0].detail.utf8.count < 1_100)
    }

    @Test func onlyOperatorsReadIt() async throws {
        let store = try await StoreFixture.make()
        let monitor = try await store.test.login(as: "push_monitor")
        await #expect { try await AuditLog(database: monitor.database).find(Self.filter { _ in }) } throws: {
            ($0 as? DatabaseError)?.is(.insufficientPrivilege) == true
        }
        await monitor.database.close()
    }
}
