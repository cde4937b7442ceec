import Postgres
import PostgresServer
import PushModel
import TestSupport
import Testing

@testable import Store

/// A database that answers commits before they are durable, and crashes.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DurabilityTests {
    /// The intent was gone, the pointer was due again, and the message left twice without a word.
    @Test func aPostOutlivesACrashOfADatabaseWithAsynchronousCommits() async throws {
        var options = TemporaryServer.Options()
        options.fsync = true
        options.settings = ["wal_writer_delay": "10s", "autovacuum": "off"]
        let server = try await TemporaryServer.start(options)
        let test = try await TestDatabase.make(in: server, settings: ["synchronous_commit = off"])
        let hub = try await Hubs(database: test.database).register(TestWorker.news)
        let worker = try await Workers(database: test.database).register(name: "host/1", version: "test").id
        let store = StoreFixture(test: test, hub: hub, queue: Queue(database: test.database, worker: worker))
        let ids = try await store.insert()
        try await test.database.execute("CHECKPOINT")

        let claim = try #require(try await store.claim())
        #expect(try await store.intend([ids], under: claim.id)?.written == [1])
        await server.halt(.immediate)
        try await server.startAgain()

        let after = test.another(maximumConnections: 1)
        let counts = try await after.query(
            "SELECT (SELECT count(*) FROM push.post) || ' ' || (SELECT count(*) FROM push.due)"
        ) { rows in try rows.first { row in try row.string() } }
        #expect(counts == "1 0")
        await after.close()
        await test.database.close()
        await server.stop()
    }
}
