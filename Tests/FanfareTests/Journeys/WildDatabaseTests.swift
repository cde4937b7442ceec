import ProgramSupport
import Foundation
import Postgres
import PostgresServer
import TestSupport
import Testing

/// Commands and `fanfare run` at servers that refuse, that are full, and that are not the primary.
@Suite(.serialized) struct WildDatabaseTests {
    @Test func aStandbyIsNamedByCommandsAndWaitedForByRun() async throws {
        let primary = try await TemporaryServer.start()
        let migrated = try await TestDatabase.make(in: primary)
        // A hub that is not registered would be refused first.
        try await migrated.database.script("SELECT push.add_hub('news')")
        await migrated.database.close()
        let standby = try await primary.standby()
        let url = standby.conninfo(database: migrated.name)
        let site = try Site(url: url + " password=\(BuiltProgram.secrets[1])")
        let enqueue = ["enqueue", "--hub", "news", "--tag", "A", "--property", "a=1"]
        let refused = try await site.fanfare.run(enqueue)
        #expect(refused.status == 69)
        #expect(refused.errors.contains("target_session_attrs=read-write"), "\(refused.errors)")
        #expect(try await site.fanfare("status").status == 0)

        let bench = try await ServiceBench()
        try bench.configure(database: url)
        let run = try await bench.start(until: "target_session_attrs=read-write")
        await primary.halt(.killed)
        try await standby.promote()
        await bench.systemd.wait(for: "READY=1")
        run.signal(SIGTERM)
        #expect(await run.ended == 0)
        await standby.stop()
        await primary.stop()
    }

    @Test func aServerWithoutAPlaceLeftIsWaitedFor() async throws {
        var options = TemporaryServer.Options()
        options.settings = ["max_connections": "12"]
        let server = try await TemporaryServer.start(options)
        let test = try await TestDatabase.make(in: server)
        try await test.database.script("CREATE ROLE w LOGIN IN ROLE push_worker")  // three places are for superusers
        let others = Database(
            DatabaseSettings(url: test.conninfo + " user=w", prepare: .never, maximumConnections: 12))
        let (ends, end) = AsyncStream<Void>.makeStream()
        let over = Task { for await _ in ends {} }
        let (refusals, refused) = AsyncStream<String?>.makeStream()
        var taken: [Task<Void, Never>] = []
        for _ in 1...12 {
            taken.append(
                Task {
                    do {
                        try await others.withConnection { connection in
                            try await connection.execute("SELECT 1")
                            await over.value
                        }
                    } catch {
                        refused.yield((error as? DatabaseError)?.sqlState)
                    }
                })
        }
        // One that finds no place: then there is none.
        var first = refusals.makeAsyncIterator()
        #expect(await first.next() == "53300")

        let bench = try await ServiceBench()
        try bench.configure(database: test.conninfo + " user=w")
        let run = try await bench.start(until: "max_connections")
        end.finish()
        for task in taken { await task.value }
        await others.close()
        await bench.systemd.wait(for: "READY=1")
        run.signal(SIGTERM)
        #expect(await run.ended == 0)
        await test.database.close()
        await server.stop()
    }

    @Test(.enabled(if: Pooler.isInstalled, "pgbouncer is not installed: apt-get install pgbouncer"))
    func everyCommandWorksBehindAPooler() async throws {
        let server = try await TemporaryServer.start()
        try await server.createDatabase("pooled")
        let pooler = try Pooler(before: server)
        let site = try Site(url: pooler.conninfo(database: "pooled"))
        try await pooler.listens()
        #expect(try await site.fanfare("migrate", "up").status == 0)
        for command in [
            ["migrate", "verify"], ["hub", "add", "news"],
            ["enqueue", "--hub", "news", "--tag", "A", "--property", "a=1"], ["status"], ["message", "list"],
        ] {
            let ended = try await site.fanfare.run(command)
            #expect(ended.status == 0, "\(command): \(ended.errors)")
        }
        #expect(try await site.number("SELECT count(*) FROM push.due") == 1)
        let refused = try await site.fanfare("status", "--set", "database.url=\(site.url) options='-c jit=off'")
        #expect(refused.status == 69)
        #expect(refused.errors.contains("unsupported startup parameter: options"), "\(refused.errors)")
        withExtendedLifetime(pooler) {}
        await server.stop()
    }

    @Test(arguments: [("push_enqueue", "push_worker"), ("push_monitor", "push_worker")])
    func aLoginWithTheWrongRoleIsToldWhichItNeeds(has role: String, needs: String) async throws {
        let site = try await Site.make()
        let login = "r_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        try await site.execute("CREATE ROLE \(login) LOGIN IN ROLE \(role)")
        for command in ["run", "drain"] {
            let ended = try await site.fanfare(command, "--set", "database.url=\(site.url) user=\(login)")
            #expect(ended.status == 77, "\(command): \(ended.errors)")
            #expect(ended.errors.contains("GRANT \(needs) "), "\(command) as \(role): \(ended.errors)")
        }
    }
}
