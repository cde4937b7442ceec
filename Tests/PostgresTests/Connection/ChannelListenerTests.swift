import PostgresServer
import Testing

@testable import Postgres

@Suite struct ChannelListenerTests {
    /// Lends a listener on a channel and a database beside it, and closes both.
    private func withListener(
        on channel: String, _ body: (ChannelListener, Database) async throws -> Void
    ) async throws {
        let name = "listener on \(channel)"
        try await SharedServer.withDatabase({ $0.applicationName = name }) { database async throws in
            let listener = try database.listener(on: channel)
            try await body(listener, database)
            await listener.close()
            // The server ends a session some time after its client has closed it.
            while try await sessions(of: name, in: database) > 1 {}
        }
    }

    private func sessions(of name: String, in database: Database) async throws -> Int64 {
        try await database.query("SELECT count(*) FROM pg_stat_activity WHERE application_name = \(name)") {
            try $0.single { try $0.int64() }
        }
    }

    private func waitUntilListening(_ changes: inout AsyncStream<Void>.Iterator, _ listener: ChannelListener) async {
        repeat { await changes.next() } while !listener.isListening
    }

    @Test func notificationsArriveAndUnreadOnesMerge() async throws {
        try await withListener(on: "news \"of\" the day") { listener, database in
            var changes = listener.changes.makeAsyncIterator()
            await waitUntilListening(&changes, listener)
            for _ in 1...3 {
                try await database.script("NOTIFY \"news \"\"of\"\" the day\"")
                await changes.next()
            }
            try await database.script("NOTIFY other")
            for _ in 1...1000 { try await database.execute("SELECT pg_notify('news \"of\" the day', '')") }
            await changes.next()
            await listener.close()
            var left = 0
            while await changes.next() != nil { left += 1 }
            #expect(left <= 1, "unread changes are merged")
        }
    }

    @Test func aLostSessionIsOpenedAgainAndCountsAsANotification() async throws {
        try await withListener(on: "lost") { listener, database in
            var changes = listener.changes.makeAsyncIterator()
            await waitUntilListening(&changes, listener)
            for _ in 1...2 {
                let session = try await database.query(
                    "SELECT pid FROM pg_stat_activity WHERE query LIKE '%LISTEN \"lost\"' AND pid <> pg_backend_pid()"
                ) { try $0.single { try $0.int32() } }
                try await SharedServer.end(session)
                await waitUntilListening(&changes, listener)
                // The change may still be the loss, reported late.
                while try await database.query(
                    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%LISTEN \"lost\"' AND pid <> pg_backend_pid()",
                    { try $0.single { try $0.int64() } }) == 0
                { await changes.next() }
                try await database.script("NOTIFY lost")
                await changes.next()
            }
        }
    }

    @Test func anIdleSessionTimeoutDoesNotEndIt() async throws {
        let server = try await TemporaryServer.start()
        let keeper = Database(DatabaseSettings(url: server.conninfo(), maximumConnections: 1))
        try await keeper.execute("ALTER SYSTEM SET idle_session_timeout = '300ms'")
        try await keeper.execute("SELECT pg_reload_conf()")
        await keeper.close()
        let database = Database(DatabaseSettings(url: server.conninfo()))
        let listener = try database.listener(on: "idle")
        var changes = listener.changes.makeAsyncIterator()
        await waitUntilListening(&changes, listener)
        let session: SQL =
            "SELECT pid FROM pg_stat_activity WHERE query LIKE '%LISTEN \"idle\"' AND pid <> pg_backend_pid()"
        // This session is idle between two queries, on a busy machine for longer than allowed.
        let asker = Database(DatabaseSettings(url: server.conninfo() + " options='-c idle_session_timeout=0'"))
        let before = try await asker.query(session) { try $0.single { try $0.int32() } }
        // Another session, idle as long, is ended.
        let other = Database(DatabaseSettings(url: server.conninfo(), applicationName: "other"))
        // It may be ended between connecting and its first statement.
        _ = try? await other.execute("SELECT 1")
        while try await asker.execute("SELECT FROM pg_stat_activity WHERE application_name = 'other'") > 0 {}
        #expect(try await asker.query(session) { try $0.single { try $0.int32() } } == before)
        await other.close()
        await asker.close()
        await listener.close()
        await database.close()
        await server.stop()
    }

    @Test func aServerThatIsDownIsReportedAndWaitedFor() async throws {
        let server = try await TemporaryServer.start()
        await server.halt(.fast)
        let database = Database(DatabaseSettings(url: server.conninfo()))
        let listener = try database.listener(on: "away")
        var changes = listener.changes.makeAsyncIterator()
        await changes.next()
        guard case .notListening(let error?) = listener.state else {
            Issue.record("\(listener.state)")
            return
        }
        #expect(error.isTransient)
        try await server.startAgain()
        await waitUntilListening(&changes, listener)
        try await database.script("NOTIFY away")
        await changes.next()
        await listener.close()
        #expect(await changes.next() == nil, "the stream ends with it")
        await database.close()
        await server.stop()
    }
}
