import Testing

@testable import Postgres
@testable import PostgresServer

@Suite struct TemporaryServerFailingTests {
    @Test(arguments: [TemporaryServer.Ending.fast, .immediate, .killed])
    func aHaltedServerComesBackWithItsData(_ ending: TemporaryServer.Ending) async throws {
        let server = try await TemporaryServer.start()
        let database = Database(DatabaseSettings(url: server.conninfo(), maximumConnections: 1))
        try await database.script("CREATE TABLE there (n int); INSERT INTO there VALUES (1)")
        await server.halt(ending)
        let error = await #expect(throws: DatabaseError.self) { try await database.execute("SELECT 1") }
        #expect(error?.isTransient == true)
        await server.halt(ending)  // again: nothing happens
        try await server.startAgain()
        try await server.startAgain()
        #expect(try await database.execute("SELECT FROM there") == 1)
        await database.close()
        await server.halt(ending)
        await server.stop()  // it does not run
    }

    /// A server that stops at once says so in a notice. libpq then cannot write, reads the notice, and reports only the
    /// failed write, on a connection that it still reports as good.
    @Test func aServerThatStopsAtOnceIsATransientError() async throws {
        let server = try await TemporaryServer.start()
        let database = Database(DatabaseSettings(url: server.conninfo(), maximumConnections: 1))
        let error = await #expect(throws: DatabaseError.self) {
            try await database.withConnection { connection async throws in
                try await connection.execute("SELECT 1")
                await server.halt(.immediate)
                try await connection.execute("SELECT 1")
            }
        }
        #expect(error?.isTransient == true, "\(error.map(String.init(describing:)) ?? "")")
        await database.close()
        await server.stop()
    }

    @Test func aStandbyHasEveryCommitAndTakesOver() async throws {
        let primary = try await TemporaryServer.start()
        let standby = try await primary.standby()
        let both = primary.conninfo(database: "postgres", or: standby)
        let database = Database(DatabaseSettings(url: both, maximumConnections: 1))
        try await database.script("CREATE TABLE there (n int); INSERT INTO there VALUES (1)")

        let reader = Database(DatabaseSettings(url: standby.conninfo(), maximumConnections: 1))
        // A synchronous standby has the commit, but may not show it to readers yet.
        while try await reader.query(
            "SELECT to_regclass('there') IS NULL", { rows in try rows.single { row in try row.bool() } })
        {}
        let refused = await #expect(throws: DatabaseError.self) {
            try await reader.execute("INSERT INTO there VALUES (2)")
        }
        #expect(refused?.sqlState == "25006")
        await reader.close()

        await primary.halt(.killed)
        try await standby.promote()
        while (try? await database.execute("INSERT INTO there VALUES (2)")) == nil {}
        #expect(try await database.execute("SELECT FROM there") == 2)
        await database.close()
        await standby.stop()
        await primary.stop()
    }
}
