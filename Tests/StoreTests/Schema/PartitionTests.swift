import Postgres
import Store
import TestSupport
import Testing

/// Partitions are made ahead. Rows with unforeseen ids fall into a DEFAULT partition, are reported and can be moved.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PartitionTests {
    private static let span: Int64 = 4_000_000

    @Test func threeAreMadeAheadAndNoMoreTheSecondTime() async throws {
        let store = try await StoreFixture.make()
        let schema = Schema(database: store.database)
        #expect(try await schema.makePartitions() == 0)
        try await store.database.execute("SELECT setval('push.message_id_seq', \(Self.span))")
        try await store.database.execute("SELECT setval('push.claim_id', 100000)")
        #expect(try await schema.makePartitions() == 4)  // one each of message, result, post and answer
        #expect(try await schema.makePartitions() == 0)
        try await store.insert()
        #expect(try await store.test.texts("SELECT tableoid::regclass::text FROM push.message") == ["push.message_1"])
    }

    @Test func severalAtOnceDoNotFail() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("SELECT setval('push.message_id_seq', \(Self.span * 10))")
        let made = try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 1...4 { group.addTask { try await Schema(database: store.database).makePartitions() } }
            return try await group.reduce(0) { $0 + max($1, 0) }  // negative: it left them to another
        }
        #expect(made == 8)
    }

    @Test func aReaderOfTheTableDelaysThemAndInsertsGoOn() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("SELECT setval('push.message_id_seq', \(Self.span))")
        try await store.database.withTransaction { reader in
            try await reader.execute("SELECT count(*) FROM push.message")
            async let made = Schema(database: store.database).makePartitions()
            for _ in 1...20 { try await store.insert() }
            #expect(try await made == 1)  // that of result; the reader holds the DEFAULT of message
        }
        #expect(try await store.count("due") == 20)
        #expect(try await Schema(database: store.database).makePartitions() == 1)
    }

    @Test func aReaderOfOnePartitionDoesNotDelayThem() async throws {
        let store = try await StoreFixture.make()
        let id = try await store.insert()[0]
        try await store.database.execute("SELECT setval('push.message_id_seq', \(Self.span))")
        try await store.database.withTransaction { reader in
            try await reader.execute("SELECT FROM push.message WHERE id = \(raw: "\(id)")")
            #expect(try await Schema(database: store.database).makePartitions() == 2)
        }
    }

    @Test func rowsInADefaultPartitionAreReportedAndRepaired() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("SELECT setval('push.message_id_seq', \(Self.span * 10))")
        try await store.database.execute("SELECT setval('push.claim_id', 900000)")
        let ids = try await store.insert(3)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        try await store.complete([.rejected(claim.post(1))])
        let schema = Schema(database: store.database)
        #expect(
            try await schema.verify()
                == ["message", "result", "post", "answer"].map {
                    "push.\($0)_default has rows: run SELECT push.empty_default_partitions()."
                })

        // 3 messages, 1 result, 2 posts, 1 answer
        #expect(try await store.test.number("SELECT push.empty_default_partitions()") == 7)

        #expect(try await schema.verify() == [])
        #expect(try await store.count("due") == 0)  // the enqueue trigger did not fire again
        #expect(try await store.count("message") == 3)
        #expect(try await store.status(ids[0]) == "rejected")
        #expect(try await store.status(ids[1]) == "posting")
        #expect(try await store.lost() == [])
        #expect(try await store.test.number("SELECT push.empty_default_partitions()") == 0)
        try await store.insert()
        #expect(try await schema.verify() == [])
    }
}

extension PartitionTests {
    @Test func whoFindsAnotherAtItDoesNothing() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("SELECT setval('push.message_id_seq', \(Self.span))")
        try await store.database.withTransaction { other in
            try await other.execute("SELECT push.make_partitions(), push_worker.forget_keys_v1()")
            #expect(try await store.test.texts("SELECT 'null' WHERE push.make_partitions() IS NULL") == ["null"])
            #expect(try await store.test.texts("SELECT 'null' WHERE push_worker.forget_keys_v1() IS NULL") == ["null"])
            #expect(try await Schema(database: store.database).makePartitions() == -1)
            #expect(try await KeyRetention.forget(in: store.database) == 0)
        }
    }

    /// What a claim reads lies in one page, up to 8 kB, and not in a TOAST table.
    @Test func messagesStayInTheirRows() async throws {
        let store = try await StoreFixture.make()
        let other: SQL = """
            SELECT c.relname || coalesce(': ' || array_to_string(c.reloptions, ' '), '')
              FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
             WHERE i.inhparent = 'push.message'::regclass AND c.reloptions IS DISTINCT FROM '{toast_tuple_target=8160}'
            """
        #expect(try await store.test.texts(other) == [])
    }

    @Test func aPartitionThatWasDetachedTakesNoRows() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("ALTER TABLE push.message DETACH PARTITION push.message_0")
        try await store.insert(1)
        let refused = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT push.empty_default_partitions()")
        }
        #expect(refused?.message.contains("message_default belong into partition 0: somebody detached it") == true)
        #expect(try await store.count("message") == 1)
    }

    /// Its pending messages are gone, and the claim drops their pointers; what else there is goes on.
    @Test func aPartitionThatWasDroppedByHandStopsNobody() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let dead = try #require(try await store.claim(1))
        try await store.intend([[ids[0]]], under: dead.id)
        _ = try #require(try await store.claim(1))
        try await store.nextPartition()
        let fresh = try await store.insert(1)
        try await store.database.execute("DROP TABLE push.message_0")
        #expect(try await store.test.number("SELECT count(*) FROM push.lost") == 3)
        #expect(try await store.status(fresh[0]) == "due")
        let alive = try await store.another()
        #expect(try await store.claim(by: alive)?.messages.map(\.id) == fresh)
        try await store.database.execute("SELECT push.rescue(\(store.queue.worker.number), force => true)")
        #expect(try await store.test.number("SELECT count(*) FROM push.claim") == 1)
        _ = try await store.claim(by: alive)
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    /// Where rows come and go, vacuum starts after a number of rows, not after a share of the table. Tables that only grow keep
    /// the server's defaults.
    @Test func vacuumSettingsAreShipped() async throws {
        let store = try await StoreFixture.make()
        let options = { (table: String) in
            try await store.test.texts(
                "SELECT array_to_string(reloptions, ' ') FROM pg_class WHERE oid = to_regclass(\("push." + table))"
            ).first ?? ""
        }
        for table in ["due", "claim"] {
            #expect(try await options(table).contains("autovacuum_vacuum_scale_factor=0 "), "\(table)")
        }
        let off: SQL = """
            SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'push'::regnamespace
               AND 'autovacuum_enabled=false' = ANY (c.reloptions)
            """
        #expect(try await store.test.texts(off) == [])
    }
}
