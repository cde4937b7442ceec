import Postgres
import PostgresServer
import Store
import TestSupport
import Testing

/// The ids of a device's changes are in the order of their commits, whatever transactions are open.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DeviceOrderTests {
    private static let put: SQL = "SELECT push.put_device('news', 'a', 'apns', '00')"
    private static let patch: SQL = "SELECT push.patch_device('news', 'a', add_tags => '{x}')"
    private static let drop: SQL = "SELECT push.drop_device('news', 'a')"

    @Test(arguments: [false, true]) func theSecondOfTwoOpenTransactionsWaitsForTheFirst(isKnown: Bool) async throws {
        let store = try await StoreFixture.make()
        if isKnown { try await store.put("a") }
        let (ids, last) = try await store.database.withConnection { first in
            try await first.execute("BEGIN")
            var ids = [try await Self.id(Self.put, first)]
            async let second = store.test.number(Self.patch)
            try await store.untilASessionWaits()
            try await store.put("b")  // another device does not wait
            ids.append(try await Self.id(Self.patch, first))
            try await first.execute("COMMIT")
            return (ids, try await second)
        }
        #expect(ids[0] < ids[1] && ids[1] < last)
        let claimed = try await store.take().first { $0.device == "a" }
        #expect(claimed?.changes.map(\.id).suffix(3) == [ids[0], ids[1], last])
        #expect(try await store.test.number("SELECT change FROM push.device WHERE device = 'a'") == last)
    }

    @Test(arguments: [false, true]) func whatIsRolledBackLeavesNothingAndTheSecondGoesOn(isKnown: Bool) async throws {
        let store = try await StoreFixture.make()
        if isKnown { try await store.put("a") }
        let before = try await store.count("installation_change")
        try await store.database.withConnection { first in
            try await first.execute("BEGIN")
            try await first.execute(Self.drop)
            async let second = store.patch("a")
            try await store.untilASessionWaits()
            try await first.execute("ROLLBACK")
            _ = try await second
        }
        #expect(try await store.changes(of: "a") == (isKnown ? ["put waiting"] : []) + ["patch waiting"])
        #expect(try await store.count("installation_change") == before + 1)
        #expect(try await store.count("installation_due") == before + 1)
        #expect(try await store.lostChanges() == [])
    }

    /// Ten transactions at once on three devices, each with several changes, some of them rolled back.
    @Test func idsAreInTheOrderOfTheCommits() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            "CREATE TABLE public.committed (n bigint GENERATED ALWAYS AS IDENTITY, change bigint, device text)")
        let database = store.test.another(maximumConnections: 10)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for backend in 0..<10 {
                group.addTask {
                    for round in 0..<15 {
                        let device = "phone-\((backend + round) % 3)"
                        let ends = round % 4 == 3 ? "ROLLBACK" : "COMMIT"
                        try await database.withConnection { connection in
                            try await connection.execute("BEGIN")
                            for call in [
                                "put_device('news', '\(device)', 'apns', '00')", "drop_device('news', '\(device)')",
                            ] {
                                // While the device is locked, so in the order of the commits.
                                try await connection.execute(
                                    """
                                    WITH call AS MATERIALIZED (SELECT push.\(raw: call) AS id)
                                    INSERT INTO public.committed (change, device) SELECT id, \(device) FROM call
                                    """)
                            }
                            try await connection.execute("\(raw: ends)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        await database.close()
        #expect(
            try await store.test.number(
                """
                SELECT count(*) FROM (SELECT change, lag(change) OVER (PARTITION BY device ORDER BY n) AS before
                                        FROM public.committed) c WHERE before > change
                """) == 0)
        #expect(
            try await store.count("installation_change")
                == (try await store.test.number("SELECT count(*) FROM public.committed")))
        #expect(try await store.count("installation_due") == (try await store.count("installation_change")))
        #expect(try await store.lostChanges() == [])
    }

    @Test func aPatchOfADroppedDeviceIsRefused() async throws {
        let store = try await StoreFixture.make()
        try await store.put("phone-17")
        try await store.drop("phone-17")
        let error = await #expect(throws: DatabaseError.self) { try await store.patch("phone-17") }
        #expect(error?.sqlState == "55000")
        #expect(error?.message == "push.patch_device: device \"phone-17\" of hub \"news\" was dropped")
        #expect(error?.hint?.contains("push.put_device") == true)
        #expect(try await store.count("installation_change") == 2)
        // In the same transaction too, and only there when that is rolled back.
        try await store.put("a")
        await #expect(throws: DatabaseError.self) {
            try await store.database.withTransaction { connection in
                try await connection.execute(Self.drop)
                try await connection.execute(Self.patch)
            }
        }
        try await store.patch("a")
        try await store.put("phone-17")
        try await store.patch("phone-17")
        #expect(
            try await store.changes() == [
                "put waiting", "drop waiting", "put waiting", "patch waiting", "put waiting", "patch waiting",
            ])
    }

    /// An app may have registered it by itself; else the hub says that there is no such installation.
    @Test func aPatchOfAnUnknownDeviceIsTaken() async throws {
        let store = try await StoreFixture.make()
        try await store.patch("a")
        try await store.patch("a")
        try await store.drop("b")
        #expect(try await store.changes() == ["patch waiting", "patch waiting", "drop waiting"])
    }

    @Test func oneTransactionMayChangeManyDevices() async throws {
        let store = try await StoreFixture.make()
        try await store.database.withTransaction { connection in
            try await connection.execute(
                "SELECT push.put_device('news', 'phone-' || g, 'apns', '00') FROM generate_series(1, 500) g")
            try await connection.execute("SAVEPOINT s")
            try await connection.execute(
                "SELECT push.drop_device('news', 'phone-' || g) FROM generate_series(1, 500) g")
            try await connection.execute("ROLLBACK TO s")
            try await connection.execute("SELECT push.patch_device('news', 'phone-1', add_tags => '{a}')")
        }
        #expect(try await store.count("installation_due") == 501)
        #expect(try await store.changes(of: "phone-1") == ["put waiting", "patch waiting"])
    }

    /// Such a transaction fails where any UPDATE of a row that has changed would; the caller runs it again.
    @Test(arguments: ["REPEATABLE READ", "SERIALIZABLE"]) func aStricterTransactionWorksOrIsToRunAgain(_ level: String)
        async throws
    {
        let store = try await StoreFixture.make()
        try await store.put("a")
        try await store.database.withTransaction { connection in
            try await connection.execute("SET TRANSACTION ISOLATION LEVEL \(raw: level)")
            for call in [Self.put, Self.patch, Self.drop] { try await connection.execute(call) }
        }
        for device in ["a", "new"] {
            let error = await #expect(throws: DatabaseError.self) {
                try await store.database.withTransaction { connection in
                    try await connection.execute("SET TRANSACTION ISOLATION LEVEL \(raw: level)")
                    try await connection.execute("SELECT FROM push.hub")
                    try await store.put(device)
                    try await connection.execute("SELECT push.put_device('news', \(device), 'apns', '00')")
                }
            }
            #expect(error?.sqlState == "40001" && error?.isTransient == true, "\(device)")
        }
        #expect(try await store.changes(of: "new") == ["put waiting"])
        #expect(try await store.lostChanges() == [])
    }

    /// The row of a device whose changes were purged goes while another transaction changes it.
    @Test func aDeviceThatIsPurgedMeanwhileIsChanged() async throws {
        let store = try await StoreFixture.make()
        try await store.drop("a")
        try await store.finish(try await store.take())
        try await store.ageDevices(60)
        try await store.database.withConnection { purge in
            try await purge.execute("BEGIN")
            try await purge.execute("SELECT push_internal.forget_devices(now() - interval '30 days', 100)")
            async let patched = store.patch("a")
            try await store.untilASessionWaits()
            try await purge.execute("COMMIT")
            _ = try await patched
        }
        #expect(try await store.changes() == ["patch waiting"])
        #expect(try await store.count("device") == 1)
    }

    /// A hub is removed while a call for it is under way: the call is refused, or the removal.
    @Test func noChangeIsLeftAtARemovedHub() async throws {
        let store = try await StoreFixture.make()
        try await store.database.withConnection { person in
            try await person.execute("BEGIN")
            try await person.execute("SELECT push.remove_hub('news')")
            _ = try await store.put("a")  // does not wait
            let error = await #expect(throws: DatabaseError.self) { try await person.execute("COMMIT") }
            #expect(error?.message == "hub \"news\" has 1 waiting change of devices")
        }
        try await store.finish(try await store.take())

        try await store.database.withConnection { backend in
            try await backend.execute("BEGIN")
            try await backend.execute(Self.put)
            async let refused = #expect(throws: DatabaseError.self) {
                try await store.database.execute("SELECT push.remove_hub('news')")
            }
            try await store.untilASessionWaits()
            try await backend.execute("COMMIT")
            #expect(await refused?.message == "hub \"news\" has 1 waiting change of devices")
        }
    }

    /// Behind pgbouncer each transaction may run in another session.
    @Test(.enabled(if: Pooler.isInstalled, "pgbouncer is not installed: apt-get install pgbouncer"))
    func theyWorkBehindATransactionPooler() async throws {
        let server = try await TemporaryServer.start()
        let direct = try await TestDatabase.make(in: server)
        let hub = try await Hubs(database: direct.database).register(TestWorker.news)
        let pooler = try Pooler(before: server)
        let pooled = TestDatabase(at: pooler.conninfo(database: direct.name), name: direct.name)
        try await pooler.listens()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for backend in 0..<8 {
                group.addTask {
                    for round in 0..<20 {
                        try await pooled.database.withTransaction { connection in
                            try await connection.execute(
                                "SELECT push.put_device('news', \("phone-\(round)"), 'apns', '00', user_id => \("\(backend)"))"
                            )
                            try await connection.execute(
                                "SELECT push.patch_device('news', \("phone-\(round)"), add_tags => '{a}')")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await direct.number("SELECT count(*) FROM push.installation_due") == 320)
        let worker = try await Workers(database: pooled.database).register(name: "host/1", version: "test")
        let queue = DeviceQueue(database: pooled.database, worker: worker.id)
        let claimed = try await queue.claim(hub: hub, after: .start, limit: 100)
        #expect(claimed?.devices.count == 20)
        #expect(claimed?.devices.allSatisfy { $0.changes.map(\.id) == $0.changes.map(\.id).sorted() } == true)
        await pooled.database.close()
        await direct.database.close()
        await server.stop()
    }

    private static func id(_ call: SQL, _ connection: Connection) async throws -> Int64 {
        try await connection.query(call) { rows in try rows.single { row in try row.int64() } }
    }
}
