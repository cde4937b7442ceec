import Postgres
import PostgresServer
import TestSupport
import Testing

/// Behind pgbouncer in transaction mode, every transaction may run in another session: nothing may depend on a session.
@Suite(.serialized, .enabled(if: Pooler.isInstalled, "pgbouncer is not installed: apt-get install pgbouncer"))
struct PoolerTests {
    private static let all = 1500

    @Test(arguments: [DatabaseSettings.Prepare.auto, .never])
    func aPoolerThatRestartsLosesAndRepeatsNothing(
        _ prepare: DatabaseSettings.Prepare
    ) async throws {
        let server = try await TemporaryServer.start()
        let direct = try await TestDatabase.make(in: server)
        await direct.database.close()
        let pooler = try Pooler(before: server)
        let test = TestDatabase(at: pooler.conninfo(database: direct.name), name: direct.name, prepare: prepare)
        try await pooler.listens()
        let worker = try await TestWorker.make(on: test)
        try await worker.enqueue(Self.all)
        try await worker.whileWorking { _ in
            try await worker.accepted(100)
            try await pooler.command("PAUSE")
            try await pooler.command("RESUME")
            try await worker.accepted(300)
            await pooler.kill()
            let next = try Pooler(before: server)
            try await worker.accepted(Self.all)
            withExtendedLifetime(next) {}
        }
        // Not by the worker's own count: an answer that another session of the pool recorded when this one broke is not in it.
        #expect(worker.taken.count == Self.all)
        #expect(Set(worker.taken).count == Self.all)
        let after = TestDatabase(at: server.conninfo(database: direct.name), name: direct.name)
        #expect(try await after.number("SELECT count(*) FROM push.message_status WHERE status <> 'accepted'") == 0)
        #expect(try await after.texts("SELECT id || problem FROM push.lost") == [])
        await after.database.close()
        await test.database.close()
        await server.stop()
    }

    @Test func aPoolerThatRestartsLosesNoChangeOfADevice() async throws {
        let server = try await TemporaryServer.start()
        let direct = try await TestDatabase.make(in: server)
        await direct.database.close()
        let pooler = try Pooler(before: server)
        let test = TestDatabase(at: pooler.conninfo(database: direct.name), name: direct.name)
        try await pooler.listens()
        let worker = try await TestWorker.make(on: test)
        let applied: SQL = "SELECT count(*) FROM push.installation_result WHERE status = 'applied'"
        try await test.database.execute(
            """
            SELECT count(push.put_device('news', 'phone-' || n, 'apns', lpad(to_hex(n), 8, '0')))
              FROM generate_series(1, 500) n
            """)
        try await test.database.execute(
            """
            SELECT count(push.patch_device('news', 'phone-' || n, add_tags => '{World}'))
              FROM generate_series(1, 500) n
            """)
        try await worker.whileWorking { _ in
            try await worker.untilReachable(applied) { $0 >= 50 }
            try await pooler.command("PAUSE")
            try await pooler.command("RESUME")
            try await worker.untilReachable(applied) { $0 >= 200 }
            await pooler.kill()
            let next = try Pooler(before: server)
            try await next.listens()
            try await worker.untilReachable(applied) { $0 >= 1_000 }
            withExtendedLifetime(next) {}
        }
        let after = TestDatabase(at: server.conninfo(database: direct.name), name: direct.name)
        #expect(try await after.number(applied) == 1_000)
        #expect(
            try await after.number(
                """
                SELECT (SELECT count(*) FROM push.installation_due) + (SELECT count(*) FROM push.installation_claim)
                     + (SELECT count(*) FROM push.lost_changes)
                """) == 0)
        let hub = worker.hub.hub
        #expect(try worker.emulator.devices(at: hub).count == 500)
        #expect(
            try worker.emulator.devices(at: hub).allSatisfy {
                try worker.emulator.installation($0, at: hub)?.tags == ["World"]
            })
        await after.database.close()
        await test.database.close()
        await server.stop()
    }

    /// The next client of a session finds it as the server made it.
    @Test func noSessionStateIsChanged() async throws {
        let server = try await TemporaryServer.start()
        let direct = try await TestDatabase.make(in: server)
        await direct.database.close()
        let pooler = try Pooler(before: server)
        let test = TestDatabase(at: pooler.conninfo(database: direct.name), name: direct.name)
        while (try? await test.number("SELECT 1")) == nil {}
        let worker = try await TestWorker.make(on: test)
        try await worker.enqueue(50)
        try await test.database.execute("SELECT push.put_device('news', 'phone', 'apns', '00FC13AD')")
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 50")
        #expect(try worker.emulator.devices(at: worker.hub.hub) == ["phone"])
        // Without the settings that the pooler itself tracks per client.
        let changed: SQL = """
            SELECT name FROM pg_settings WHERE source = 'session'
               AND name NOT IN ('client_encoding', 'application_name', 'DateStyle', 'TimeZone', 'standard_conforming_strings')
            """
        for _ in 1...6 { #expect(try await test.texts(changed) == []) }
        #expect(try await test.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == 0)
        await test.database.close()
        withExtendedLifetime(pooler) {}
        await server.stop()
    }
}
