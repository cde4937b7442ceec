import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What backends learn of their own messages: push.status_of for ids, push.ended_since for whatever ended.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EndedTests {
    private static let insert = #"INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{"m": "x"}')"#

    /// ids of the rows, and the mark of the last one.
    private func read(_ mark: String, in database: Database, rest: String = "") async throws -> (
        ids: [Int64], mark: String
    ) {
        let rows = try await database.query(
            "SELECT id, next_mark FROM push.ended_since(\(mark)\(raw: rest))"
        ) { rows in try rows.map { row in (try row.int64OrNil(), try row.string()) } }
        return (rows.compactMap(\.0), try #require(rows.last).1)
    }

    @Test func aBackendSeesItsOwnMessagesOnly() async throws {
        let store = try await StoreFixture.make()
        let shop = try await store.test.login(as: "push_enqueue").database
        let id = try await shop.query("\(raw: Self.insert) RETURNING id") { rows in
            try rows.single { row in try row.int64() }
        }
        let called = try await shop.query("SELECT id FROM push.enqueue('news', 'b', '{}')") { rows in
            try rows.single { row in try row.int64() }
        }
        let foreign = try await store.insert()[0]
        try await store.database.execute("SELECT push.cancel(u.id) FROM unnest(\([id, foreign])) u(id)")

        let ids: [Int64] = [foreign, called, id, 999]
        let seen = try await shop.query("SELECT id, status FROM push.status_of(\(ids))") { rows in
            try rows.map { row in "\(try row.int64()) \(try row.string())" }
        }
        #expect(seen == ["\(called) due", "\(id) cancelled"])
        for call in ["'{\(id),\(foreign)}'", "\(id)", "'\(id)'", "ARRAY[\(id), \(foreign)]"] {
            let count = try await shop.query("SELECT id FROM push.status_of(\(raw: call))") { rows in rows.count }
            #expect(count == 1, "push.status_of(\(call))")
        }
        #expect(try await read("0", in: shop).ids == [id])
        let monitor = try await store.test.login(as: "push_monitor").database
        #expect(try await read("0", in: monitor).ids == [id, foreign])
        #expect(
            try await store.test.texts("SELECT enqueued_by FROM push.message WHERE id = \(foreign)")
                == store.test.texts("SELECT session_user"))
    }

    /// What PostgREST does: one login, SET ROLE for each request.
    @Test func aRoleOfOneLoginSeesWhatItEnqueued() async throws {
        let store = try await StoreFixture.make()
        let login = try await store.test.login(as: "push_enqueue")
        let seen = try await login.database.withConnection { session in
            try await session.execute("SET ROLE push_enqueue")
            let id = try await session.query("SELECT id FROM push.enqueue('news', 'b', '{}')") { rows in
                try rows.single { row in try row.int64() }
            }
            let own = try await session.query("SELECT id FROM push.status_of(\([id]))") { rows in rows.count }
            try await session.execute("RESET ROLE")
            let others = try await session.query("SELECT id FROM push.status_of(\([id]))") { rows in rows.count }
            return (own, others)
        }
        #expect(seen == (1, 0))
    }

    @Test func everyResultComesOnceAndInOrder() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(25)
        let begin = try await store.database.query("SELECT next_mark, more FROM push.ended_since()") { rows in
            try rows.single { row in
                let mark = try row.string()
                #expect(try row.bool() == false)
                return mark
            }
        }
        for part in [ids[10..<20], ids[0..<3], ids[20..<25]] {
            try await store.database.execute("SELECT push.cancel(u.id) FROM unnest(\(Array(part))) u(id)")
        }
        for size in [1, 4, 100] {
            var mark = begin
            var seen: [Int64] = []
            while true {
                let (page, next) = try await read(mark, in: store.database, rest: ", at_most => \(size)")
                #expect(page.count <= size)
                seen += page
                if page.isEmpty { break }
                mark = next
            }
            #expect(seen == Array(ids[10..<20] + ids[0..<3] + ids[20..<25]), "\(size) at a time")
        }
    }

    @Test func aTenantIsReadAlone() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            #"INSERT INTO push.message (hub, tag, tenant, content) SELECT 'news', 'a', 't' || g, '{"m": "x"}' FROM generate_series(1, 3) g"#
        )
        try await store.database.execute("SELECT push.cancel(id) FROM push.message")
        #expect(try await read("0", in: store.database, rest: ", tenant => 't2'").ids.count == 1)
        let end = try await read("0", in: store.database, rest: ", tenant => 'nobody'")
        #expect(end.ids == [])
        #expect(try await read(end.mark, in: store.database).ids == [], "the mark passed what belongs to others")
    }

    private static let repeated =
        #"INSERT INTO push.message (hub, tag, content, dedupe_key) VALUES ('news', 'a', '{"m": "x"}', 'k')"#

    /// Numbers are taken before their transaction commits: a reader that passed them would miss the result.
    @Test func anOpenTransactionHoldsLaterResultsBack() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("\(raw: Self.repeated)")
        try await store.database.withConnection { slow in
            try await slow.execute("BEGIN")
            try await slow.execute("\(raw: Self.repeated)")
            try await store.database.execute("\(raw: Self.repeated)")
            let early = try await self.read("0", in: store.database)
            #expect(early.ids == [])
            try await slow.execute("COMMIT")
            #expect(try await self.read(early.mark, in: store.database).ids == [2, 3])
        }
    }

    @Test func nothingIsMissedWhileManyWrite() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("\(raw: Self.repeated)")
        let reader = Task {
            var mark = "0"
            var seen: [Int64] = []
            while seen.count < 150 {
                let (page, next) = try await read(mark, in: store.database, rest: ", at_most => 7")
                seen += page
                mark = next
            }
            return seen
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<5 {
                group.addTask {
                    for _ in 0..<30 {
                        // Commits out of order: some wait after they took their number.
                        try await store.database.script(
                            "BEGIN; \(Self.repeated); SELECT pg_sleep(random() * 0.02); COMMIT")
                    }
                }
            }
            try await group.waitForAll()
        }
        let seen = try await reader.value
        #expect(Set(seen) == Set(2...151))
        #expect(seen.count == 150, "one came twice")
    }

    private static let take =
        "SELECT push.cancel(m.id) FROM push.message m JOIN push.due d ON d.id = m.id ORDER BY m.id LIMIT 1"

    /// Anybody who may connect may take advisory locks of any number: nobody who writes results waits for them.
    @Test func noAdvisoryLockOfAStrangerStopsAResult() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(2)
        try await store.test.database.withConnection { stranger in
            try await stranger.execute(
                """
                SELECT pg_advisory_lock(k.key, n) FROM generate_series(0, 500) n,
                       (VALUES (0), (push_internal.arrival_lock())) k(key)
                """)
            #expect(try await store.test.texts("\(raw: Self.take)") == ["cancelled"])
            #expect(try await self.read("0", in: store.database).ids == [1])
            // Only the usual key is taken, so the number of every second transaction is announced under another one.
            try await stranger.execute("SELECT pg_advisory_unlock_all()")
            #expect(try await store.test.texts("\(raw: Self.take)") == ["cancelled"])
            #expect(try await self.read("0", in: store.database).ids == [1, 2])
        }
    }

    @Test(arguments: ["pg_advisory_lock_shared", "pg_advisory_lock"])
    func noAdvisoryLockOfAStrangerHoldsAReaderBack(_ lock: String) async throws {
        let store = try await StoreFixture.make()
        try await store.insert(1)
        try await store.test.database.withConnection { stranger in
            try await stranger.execute("SELECT \(raw: lock)(push_internal.arrival_lock(), 0)")
            #expect(try await store.test.texts("\(raw: Self.take)") == ["cancelled"])
            #expect(try await self.read("0", in: store.database).ids == [1])
        }
    }

    /// An announcement under another key than the usual one holds readers back like any.
    @Test func aResultWhoseKeyIsTakenIsWaitedForToo() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("\(raw: Self.repeated)")
        try await store.database.withConnection { stranger in
            try await stranger.execute("SELECT pg_advisory_lock(push_internal.arrival_lock(), 0)")
            try await store.database.withConnection { slow in
                try await slow.execute("BEGIN")
                try await slow.execute("\(raw: Self.repeated)")
                try await stranger.execute("SELECT pg_advisory_unlock_all()")
                try await stranger.execute("\(raw: Self.repeated)")
                let early = try await self.read("0", in: store.database)
                #expect(early.ids == [])
                let holders: SQL = "SELECT count(*) FROM push.snapshot_holders WHERE kind = 'results'"
                #expect(try await store.test.number(holders) == 1)
                try await slow.execute("COMMIT")
                #expect(try await self.read(early.mark, in: store.database).ids == [2, 3])
            }
        }
    }

    @Test func aPreparedTransactionHoldsLaterResultsBack() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("\(raw: Self.repeated)")
        let name = "'\(store.test.name)'"
        try await store.database.withConnection { slow in
            try await slow.execute("BEGIN")
            try await slow.execute("\(raw: Self.repeated)")
            try await slow.execute("PREPARE TRANSACTION \(raw: name)")
        }
        try await store.database.execute("\(raw: Self.repeated)")
        let early = try await read("0", in: store.database)
        #expect(early.ids == [])
        let holders = try await store.test.texts("SELECT kind FROM push.snapshot_holders")
        #expect(holders.contains("prepared transaction"))
        try await store.database.execute("COMMIT PREPARED \(raw: name)")
        #expect(try await read(early.mark, in: store.database).ids == [2, 3])
    }

    @Test func whoListensInAnOpenTransactionKeepsNobodyWaiting() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(1)
        try await store.database.withConnection { slow in
            try await slow.execute("BEGIN")
            try await slow.execute("SELECT push.ended_since('0', listen => true)")
            try await slow.execute("SELECT push.ended_since('0', listen => true)")
            let output = try await Psql(conninfo: store.test.conninfo + " options='-c lock_timeout=5s'").output(
                of: """
                    LISTEN push_ended;
                    SELECT count(*) FROM push.ended_since('0', listen => true);
                    SELECT push.cancel(1);
                    """)
            #expect(output.hasPrefix("1\ncancelled\nAsynchronous notification \"push_ended\""), "\(output)")
            try await slow.execute("COMMIT")
        }
        #expect(try await store.test.number("SELECT count(*) FROM push.ended_listener") == 1)
        _ = try await read("0", in: store.database, rest: ", listen => true")
        #expect(try await store.test.number("SELECT count(*) FROM push.ended_listener") == 1)
    }

    @Test func whoListensIsToldOnce() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let output = try await Psql(conninfo: store.test.conninfo).output(
            of: """
                LISTEN push_ended;
                SELECT 'silent ' || push.cancel(\(ids[0]));
                SELECT 'read ' || count(*) FROM push.ended_since('0', listen => true);
                SELECT 'told ' || push.cancel(\(ids[1]));
                SELECT 'silent ' || push.cancel(\(ids[2]));
                """)
        let lines = output.split(separator: "\n").map { String($0).replacing(#/ with PID \d+\.$/#, with: "") }
        let notified = "Asynchronous notification \"push_ended\" received from server process"
        #expect(lines == ["silent cancelled", "read 2", "told cancelled", notified, "silent cancelled"])
    }

    @Test(arguments: [
        ("SELECT push.ended_since('x')", "push.ended_since: mark \"x\" has another form than next_mark"),
        ("SELECT push.ended_since('999999')", "push.ended_since: mark \"999999\" is beyond the newest, 0"),
        ("SELECT push.ended_since('2')", "push.ended_since: mark \"2\" is beyond the newest, 0"),
        ("SELECT push.ended_since('0', tenant => '')", "push.ended_since: no message has the tenant \"\""),
        ("SELECT push.ended_since('0', at_most => 0)", "push.ended_since: at_most 0 is not between 1 and 100,000"),
        (
            "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT push.ended_since('0'); COMMIT",
            "push.ended_since: the transaction is repeatable read"
        ),
    ]) func aWrongCallIsRefused(_ sql: String, _ words: String) async throws {
        let store = try await StoreFixture.make()
        let error = await #expect(throws: DatabaseError.self) { try await store.database.script(sql) }
        #expect(error?.message == words)
        #expect(error?.hint != nil || words.contains("at_most"))
    }
}
