import PushWorker
import HubEmulator
import Postgres
import PostgresServer
import PushModel
import Store

extension TestDatabase {
    /// A database in the test's own server, which it may stop, kill and configure.
    ///
    /// - Parameters:
    ///   - settings: of the database, from its first session on, in the form of `ALTER DATABASE … SET`.
    ///   - options: appended to `CREATE DATABASE`.
    public static func make(
        in server: TemporaryServer, settings: [String] = [], options: String = ""
    ) async throws -> TestDatabase {
        let name = "own"
        let owner = Database(DatabaseSettings(url: server.conninfo(), prepare: .never, maximumConnections: 1))
        try await owner.execute("CREATE DATABASE \(name: name) \(raw: options)")
        for setting in settings { try await owner.execute("ALTER DATABASE \(name: name) SET \(raw: setting)") }
        await owner.close()
        let test = TestDatabase(at: server.conninfo(database: name), name: name)
        _ = try await Schema(database: test.database).migrate(appVersion: "test")
        return test
    }
}

extension TestWorker {
    /// Like `make`, with an existing database.
    public static func make(on test: TestDatabase, _ hub: HubSettings = news) async throws -> TestWorker {
        let emulator = try HubEmulator(EmulatorSettings(hubs: [.init(hub.hub)]), logger: quiet)
        _ = try await emulator.start()
        _ = try await Hubs(database: test.database).register(hub)
        var settings = DispatchSettings()
        settings.leaseSeconds = 15
        settings.drainSeconds = 10
        return TestWorker(test: test, emulator: emulator, hub: hub, settings: settings)
    }

    /// Like `until`, for a database that may go away meanwhile.
    public func untilReachable(_ sql: SQL, _ holds: @Sendable (Int64) -> Bool = { $0 > 0 }) async throws {
        try await Awaited.until(sql.text) {
            do {
                let seen = try await test.number(sql)
                return ("\(seen)", holds(seen))
            } catch let error as DatabaseError where error.isTransient { return ("\(error)", false) }
        }
    }

    /// Waits until this many messages are accepted.
    public func accepted(_ count: Int) async throws {
        let sql: SQL = "SELECT coalesce(sum(n), 0)::bigint FROM push.tally WHERE status = 'accepted'"
        try await untilReachable(sql) { $0 >= count }
    }
}
