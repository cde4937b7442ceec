import Postgres
import PostgresServer
import ProgramSupport
import TestSupport
import Testing

/// What pgbouncer refuses has one code for everything, 08P01; a person is told what it is, and a worker does not wait for it.
@Suite(.serialized, .enabled(if: Pooler.isInstalled, "pgbouncer is not installed: apt-get install pgbouncer"))
struct PoolerRefusalTests {
    @Test(arguments: [
        ("password=wrong", Int32(77), "password authentication failed"),
        ("password=right user=nobody", Int32(77), "password authentication failed"),
        ("password=right dbname=nowhere", Int32(69), "no such database"),
    ])
    func aRefusalIsSaidAndNotWaitedFor(change: String, status: Int32, words: String) async throws {
        let server = try await TemporaryServer.start()
        try await server.createDatabase("pooled")
        let pooler = try Pooler(before: server, passwords: ["anna": "right"])
        // libpq takes the last of two values.
        let url = pooler.conninfo(database: "pooled") + " user=anna "
        try await pooler.listens()
        let good = Database(DatabaseSettings(url: url + "password=right", prepare: .never, maximumConnections: 1))
        #expect(try await good.execute("SELECT 1") == 1)
        await good.close()

        let site = try Site(url: url + change)
        for command in ["run", "drain"] {
            let ended = try await site.fanfare.run([command])
            #expect(ended.status == status, "\(ended)")
            #expect(ended.errors.contains(words), "\(ended)")
            #expect(ended.errors.contains("a pooler refuses it"), "\(ended)")
        }
        withExtendedLifetime(pooler) {}
        await server.stop()
    }
}
