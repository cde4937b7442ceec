import Postgres
import PostgresServer
import TestSupport
import Testing

@testable import Store

/// A promoted server may hand out numbers again that the old one had handed out. Its timeline gives it away.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TimelineTests {
    /// As if the server had been promoted since the workers last looked.
    private static func promote(_ test: TestDatabase) async throws {
        try await test.database.execute("UPDATE push.timeline SET timeline = '00000000'")
    }

    private static func last(_ test: TestDatabase) async throws -> [Int64] {
        try await test.database.query(
            """
            SELECT nextval('push.claim_id'), nextval('push.arrival'),
                   nextval(pg_get_serial_sequence('push.message', 'id')), nextval(pg_get_serial_sequence('push.worker', 'id'))
            """
        ) { rows in try rows.single { row in try (0...3).map { _ in try row.int64() } } }
    }

    @Test func aNewTimelineMovesAllNumbersOnOnce() async throws {
        let test = try await TestDatabase.make()
        let before = try await Self.last(test)
        try await Self.promote(test)
        #expect(try await test.texts("SELECT push_worker.begin_timeline_v1()::text") == ["true"])
        let after = try await Self.last(test)
        for (before, after) in zip(before, after).prefix(3) { #expect(after - before >= 10_000_000) }
        #expect(after[3] - before[3] >= 1000 && after[3] < 2000)
        #expect(try await test.texts("SELECT push_worker.begin_timeline_v1()::text") == ["false"])
        #expect(try await test.texts("SELECT timeline || moved FROM push.timeline") == ["000000011"])
        #expect(
            try await test.texts("SELECT detail ->> 'before' FROM push.audit WHERE action = 'begin_timeline'") == [
                "00000000"
            ])
        // The first posts and messages with the new numbers have their partitions.
        #expect(try await test.texts("SELECT push.missing_partitions()") == [])
        #expect(
            try await test.number(
                "SELECT count(*) FROM pg_class WHERE oid = to_regclass('push.post_' || push_internal.no_post(\(after[0])) / push_internal.no_post(100000))"
            ) == 1)
    }

    /// A worker that was led to a standby waits for the primary, as for any read-only database.
    @Test func aStandbyIsNoReplacedServer() async throws {
        let server = try await TemporaryServer.start()
        let test = try await TestDatabase.make(in: server)
        let standby = try await server.standby()
        let there = TestDatabase(at: standby.conninfo(database: test.name), name: test.name)
        for statement in [
            "SELECT push_internal.require_timeline()", "SELECT push_worker.begin_timeline_v1()",
            "SELECT * FROM push_worker.claim_v1(1, 0::smallint, '-infinity', 0, 0, 1, 1, 1)",
        ] {
            let error = await #expect(throws: DatabaseError.self) {
                try await there.database.execute("\(raw: statement)")
            }
            #expect(error?.sqlState == "25006", "\(statement)")
        }
        await there.database.close()
        await test.database.close()
        await standby.stop()
        await server.stop()
    }

    @Test func workersThatRegisterAtOnceMoveThemOnce() async throws {
        let test = try await TestDatabase.make()
        try await Self.promote(test)
        let moved = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 1...6 {
                group.addTask { try await test.number("SELECT push_worker.begin_timeline_v1()::int::bigint") }
            }
            return try await group.reduce(0, +)
        }
        #expect(moved == 1)
        #expect(try await test.texts("SELECT moved::text FROM push.timeline") == ["1"])
    }

    /// As a subscriber of logical replication that was promoted: rows came, and no sequence.
    @Test func onAnotherServerAllNumbersGoOnBehindTheRows() async throws {
        let worker = try await TestWorker.make()
        let test = worker.test
        try await test.database.script(
            """
            SELECT setval('push.claim_id', 7000), setval('push.arrival', 400000000000),
                   setval(pg_get_serial_sequence('push.message', 'id'), 30000000);
            SELECT push.make_partitions();
            SELECT push.put_device('news', 'd', 'apns', '00FC13AD');
            SELECT push.create_campaign('c', '{"hubs": ["news"], "audience": {"list": "l"}, "content": {"": {"a": "b"}}}', draft => true);
            """)
        try await worker.enqueue(5)
        try await worker.drain()
        let owned: SQL = """
            SELECT format('%s %s %s', s.oid::regclass, d.refobjid::regclass, a.attname)
              FROM pg_class s JOIN pg_depend d ON d.objid = s.oid AND d.deptype IN ('a', 'i') AND d.refobjsubid > 0
                   JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
             WHERE s.relkind = 'S' AND s.relnamespace = 'push'::regnamespace
            """
        let sequences = try await test.texts(owned).map { $0.split(separator: " ").map(String.init) }
        #expect(sequences.count > 8)
        try await test.database.execute(
            "SELECT setval(s.oid::regclass, 1) FROM pg_class s WHERE s.relkind = 'S' AND s.relnamespace = 'push'::regnamespace"
        )
        try await test.database.execute("UPDATE push.timeline SET system = 1")
        #expect(try await test.texts("SELECT push_worker.begin_timeline_v1()::text") == ["true"])
        #expect(try await test.texts("SELECT push_worker.begin_timeline_v1()::text") == ["false"])
        for part in sequences {
            let (sequence, table, column) = (part[0], part[1], part[2])
            #expect(
                try await test.number(
                    "SELECT count(*) FROM \(raw: table) WHERE \(raw: column) >= nextval('\(raw: sequence)')") == 0,
                "\(sequence)")
        }
        let last = try await Self.last(test)
        #expect(last[0] > 7_000 + 10_000_000)
        #expect(last[1] > 400_000_000_000 && last[1] < 400_020_000_000)
        #expect(last[2] > 40_000_000)
        #expect(
            try await test.texts("SELECT detail ->> 'another_server' FROM push.audit WHERE action = 'begin_timeline'")
                == ["true"])
        try await worker.enqueue(5)
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 10")
        #expect(try await worker.lost() == [])
    }

    @Test func nothingIsClaimedUnderNumbersThatMayComeAgain() async throws {
        let test = try await TestDatabase.make()
        try await test.database.execute("SELECT push_internal.require_timeline()")
        try await Self.promote(test)
        let error = await #expect(throws: DatabaseError.self) {
            try await test.database.execute("SELECT push_internal.require_timeline()")
        }
        #expect(error?.sqlState == "PT001")
        #expect(error?.message.contains("00000001") == true)
    }

    @Test func thereIsOneTimeline() async throws {
        let test = try await TestDatabase.make()
        let error = await #expect(throws: DatabaseError.self) {
            try await test.database.execute("INSERT INTO push.timeline (timeline, system) VALUES ('00000002', 1)")
        }
        #expect(error?.sqlState == "23505")
    }

    /// A person's transaction that stays open ends by itself, so that nobody waits for its locks for long.
    @Test(arguments: [("0", "1min"), ("10s", "10s"), ("1min", "1min"), ("10min", "1min")])
    func aPersonsOpenTransactionEndsAfterAMinute(setting: String, used: String) async throws {
        let test = try await TestDatabase.make()
        let found = try await test.database.withTransaction { connection in
            try await connection.execute("SET LOCAL idle_in_transaction_session_timeout = '\(raw: setting)'")
            try await connection.execute("SELECT push_internal.begin_action()")
            return try await connection.query("SHOW idle_in_transaction_session_timeout") { rows in
                try rows.single { row in try row.string() }
            }
        }
        #expect(found == used)
        #expect(try await test.texts("SHOW idle_in_transaction_session_timeout") == ["0"])
    }
}
