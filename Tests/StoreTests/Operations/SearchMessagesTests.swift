import Postgres
import Store
import TestSupport
import Testing

/// push.search_messages_v1: which message was it, within a budget?
@Suite(.serialized, .timeLimit(.minutes(10))) struct SearchMessagesTests {
    /// Three customers, an expression, a campaign, a key, and one that ended.
    private static func make() async throws -> StoreFixture {
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
            SELECT push.add_hub('sport');
            """#)
        return store
    }

    @Test(arguments: [
        ("{}", ["later", "a", "a", "(vip || customer-777) && !muted", "customer-777", "customer-77", "customer-1"]),
        (#"{"tag": "customer-777"}"#, ["(vip || customer-777) && !muted", "customer-777"]),
        (#"{"tag": "customer"}"#, []),
        (#"{"tag": "vip"}"#, ["(vip || customer-777) && !muted"]),
        (#"{"tag": "(vip || customer-777) && !muted"}"#, ["(vip || customer-777) && !muted"]),
        (#"{"tag": "customer-777", "status": "cancelled"}"#, []),
        (#"{"campaign": "spring"}"#, ["a", "a"]), (#"{"campaign": "spring", "run": "r2"}"#, ["a"]),
        (#"{"run": "r1"}"#, ["a"]), (#"{"tenant": "acme", "tag": "a"}"#, ["a", "a"]), (#"{"tenant": "nobody"}"#, []),
        (#"{"dedupe_key": "k", "status": "due"}"#, ["a"]), (#"{"status": "duplicate"}"#, ["a"]),
        (#"{"status": "cancelled"}"#, ["customer-1"]), (#"{"reason": "cancelled_by_caller"}"#, ["customer-1"]),
        (#"{"reason": "cancelled_by_caller", "status": "accepted"}"#, []), (#"{"status": "scheduled"}"#, ["later"]),
        (#"{"status": "scheduled", "hub": "sport"}"#, []), (#"{"status": "posting"}"#, []),
        (
            #"{"status": "due", "hub": "news"}"#,
            ["a", "(vip || customer-777) && !muted", "customer-777", "customer-77"]
        ),
        (#"{"hub": "sport"}"#, []), (#"{"since": "2999-01-01"}"#, []), (#"{"until": "2000-01-01 00:00+00"}"#, []),
        (#"{"since": "2000-01-01", "until": "2999-01-01", "status": "cancelled"}"#, ["customer-1"]),
        (#"{"id": 3}"#, ["customer-777"]), (#"{"id": [1, 3, 3, 999]}"#, ["customer-777", "customer-1"]),
        (#"{"id": [1, 3], "tag": "customer-1", "tenant": null}"#, ["customer-1"]),
        (#"{"id": [5, 6], "dedupe_key": "x"}"#, []),
    ]) func itFinds(_ filter: String, _ targets: [String]) async throws {
        let store = try await Self.make()
        let sql: SQL = "SELECT target FROM push.search_messages_v1(\(filter)::json) WHERE id IS NOT NULL"
        #expect(try await store.test.texts(sql) == targets)
        #expect(
            try await store.test.texts(
                "SELECT looked_to || ' ' || is_end FROM push.search_messages_v1(\(filter)::json) WHERE id IS NULL")
                == ["1 true"])
    }

    /// The same answers as push.find_messages, in pages of two and with the smallest budget, until the end: no row is lost, also
    /// none of the same second.
    @Test func lookingFurtherLosesNoRow() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            #"""
            INSERT INTO push.message (hub, tag, content, tenant)
            SELECT 'news', 'c-' || g % 50, '{"m": "x"}', CASE WHEN g % 1700 = 0 THEN 'rare' END FROM generate_series(1, 9000) g;
            SELECT nextval(pg_get_serial_sequence('push.message', 'id')) FROM generate_series(1, 5000);
            INSERT INTO push.message (hub, tag, content, tenant) SELECT 'news', 'c-7 || d', '{"m": "x"}', 'rare' FROM generate_series(1, 7);
            SELECT push.cancel(id) FROM push.message WHERE id % 1500 = 0;
            """#)
        for (arguments, change) in [
            ("tenant => 'rare'", { $0.tenant = "rare" }), ("status => 'cancelled'", { $0.status = "cancelled" }),
            ("tag => 'c-7', tenant => 'rare'", { ($0.tag, $0.tenant) = ("c-7", "rare") }),
            ("reason => 'expired'", { $0.reason = "expired" }),
        ] as [(String, (inout MessageSearch) -> Void)] {
            let all = try await store.test.texts(
                "SELECT id::text FROM push.find_messages(\(raw: arguments), at_most => 1000)")
            for limit: Int32 in [2, 1000] {
                var search = MessageSearch(limit: limit)
                change(&search)
                var found: [String] = []
                while true {
                    let page = try await store.messages.search(search, milliseconds: 1)
                    found += page.messages.map { "\($0.id)" }
                    #expect(page.messages.count <= Int(limit))
                    if page.isEnd { break }
                    #expect(try #require(page.lookedTo) < search.before ?? .max, "every call gets further")
                    search.before = page.lookedTo
                }
                #expect(found == all, "\(arguments), \(limit) at a time")
            }
        }
    }

    @Test func anEmptyTableIsTheEnd() async throws {
        let store = try await StoreFixture.make()
        #expect(try await store.messages.search(MessageSearch()) == MessagePage())
        try await store.insert()
        let page = try await store.messages.search(MessageSearch())
        #expect(page.isEnd && page.messages.count == 1 && page.lookedTo == page.messages[0].id)
        var older = MessageSearch()
        older.before = .min
        #expect(try await store.messages.search(older).isEnd)
    }

    @Test(arguments: [
        ("'[]'", #"the filter is "[]", and not an object"#, "{} means every message"),
        (#"'{"colour": "red"}'"#, #"the filter has no member "colour""#, "Its members are hub, status, reason"),
        (#"'{"status": "lost"}'"#, #"there is no status "lost""#, "scheduled, waiting, due, claimed"),
        (#"'{"reason": "fate"}'"#, #"there is no reason "fate""#, "bad_request"),
        (#"'{"tag": 7}'"#, #""tag" is "7", and not a text"#, "is a text"),
        (#"'{"tag": " "}'"#, #""tag" is empty"#, "Leave it out"),
        (#"'{"tenant": ""}'"#, #""tenant" is empty"#, "Leave it out"),
        (#"'{"since": "soon"}'"#, #""since" is "soon", which is no time"#, "2026-11-29 08:00+01"),
        (#"'{"since": "2026-02-30"}'"#, #""since" is "2026-02-30", which is no time"#, "Write a time"),
        (#"'{"since": "2026-01-02", "until": "2026-01-01"}'"#, #""since" is later than "until""#, "was enqueued"),
        (#"'{"id": 1e30}'"#, #""id" is "1e30", which is no id of a message"#, "[42, 43]"),
        (#"'{"id": []}'"#, #""id" is "[]", which is no id of a message"#, "[42, 43]"),
        (#"'{"id": [1, null]}'"#, #""id" is "[1, null]", which is no id of a message"#, "[42, 43]"),
        (#"'{"id": {"a": 1}}'"#, #""id" is "{\"a\": 1}", which is no id of a message"#, "[42, 43]"),
        ("'{}', at_most => 0", "at_most is 0", "1 to 1000"),
        ("'{}', milliseconds => NULL", "milliseconds is null", "1 to 60000"),
    ]) func aWrongFilterIsRefusedWithAHint(_ arguments: String, _ message: String, _ hint: String) async throws {
        let store = try await StoreFixture.untouched
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT push.search_messages_v1(\(raw: arguments))")
        }
        #expect(error?.message == "push.search_messages_v1: " + message)
        #expect(error?.hint?.contains(hint) == true, "\(error?.hint ?? "")")
    }

    @Test func anUnknownHubIsNamedWithThoseThatThereAre() async throws {
        let store = try await StoreFixture.untouched
        var search = MessageSearch()
        search.hub = "nws"
        let error = await #expect(throws: DatabaseError.self) { try await store.messages.search(search) }
        #expect(error?.message == #"hub "nws" is not registered"# && error?.hint?.contains("news") == true)
    }

    /// As a console asks: read only, as a person, and what it sets for its plans is gone afterwards.
    @Test func aReadOnlyTransactionOfAMonitorMaySearch() async throws {
        let store = try await Self.make()
        let monitor = try await store.test.login(as: "push_monitor")
        let settings = try await monitor.database.withTransaction { connection in
            try await connection.execute("SET TRANSACTION READ ONLY")
            let found = try await connection.query(
                #"SELECT id FROM push.search_messages_v1('{"tag": "vip"}') WHERE id IS NOT NULL"#
            ) { $0.count }
            #expect(found == 1)
            return try await connection.query(
                "SELECT current_setting('cpu_index_tuple_cost'), current_setting('enable_indexscan'), current_setting('enable_bitmapscan')"
            ) { rows in try rows.single { row in [try row.string(), try row.string(), try row.string()] } }
        }
        #expect(settings == ["0.005", "on", "on"])
    }
}
