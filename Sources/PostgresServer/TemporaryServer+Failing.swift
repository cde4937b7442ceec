import Concurrency
import Glibc
import Postgres

/// Failures on request: a server stops, crashes, or another one takes over.
extension TemporaryServer {
    /// How a server ends.
    public enum Ending: Sendable {
        /// As `pg_ctl stop -m fast`: sessions are ended, and everything is written.
        case fast
        /// As `pg_ctl stop -m immediate`: nothing more is written; the next start recovers.
        case immediate
        /// As `kill -9` of the server: its sessions end a moment later, without a word.
        case killed
    }

    /// Ends the server and keeps its data. Returns when its process has ended; does nothing if it does not run.
    public func halt(_ ending: Ending) async {
        switch ending {
        case .fast: await process.halt(SIGINT)
        case .immediate: await process.halt(SIGQUIT)
        case .killed: await process.halt(SIGKILL)
        }
    }

    /// Starts a halted server again, at the same place, with its data.
    ///
    /// - Throws: `TemporaryServerError` when it does not accept connections within a minute. It can be tried again.
    public func startAgain() async throws(TemporaryServerError) { try await process.startAgain() }

    /// A hot standby: a copy of this server that follows it and can be read. From now on a commit here returns only
    /// when the standby has it too, so it waits for as long as the standby is halted.
    ///
    /// - Parameters:
    ///   - options: those of this server: a standby needs at least as many connections.
    ///   - isSynchronous: false: no commit waits for it.
    public func standby(_ options: Options = Options(), isSynchronous: Bool = true) async throws -> TemporaryServer {
        let standby = TemporaryServer(process: try await PostgresProcess.start(options, standbyOf: conninfo()))
        let database = Database(DatabaseSettings(url: conninfo(), prepare: .never, maximumConnections: 1))
        return try await withCleanup {
            if isSynchronous {
                // Set after the copy was made, so that the standby waits for no other server once it has taken over.
                try await database.execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
                try await database.execute("SELECT pg_reload_conf()")
            }
            let state = isSynchronous ? "sync" : "async"
            let followers: SQL =
                "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = \(state)"
            while try await database.query(followers, { rows in try rows.single { row in try row.int64() } }) == 0 {
                try Task.checkCancellation()
            }
            return standby
        } then: {
            await database.close()
        }
    }

    /// Lets a standby follow no longer: what is committed from now on, it does not receive.
    public func stopFollowing() async throws(DatabaseError) {
        let database = Database(DatabaseSettings(url: conninfo(), prepare: .never, maximumConnections: 1))
        try await withCleanup { () throws(DatabaseError) in
            try await database.execute("ALTER SYSTEM SET primary_conninfo = ''")
            try await database.execute("SELECT pg_reload_conf()")
            while try await database.query(
                "SELECT count(*) FROM pg_stat_wal_receiver", { try $0.single { try $0.int64() } }) > 0
            {}
        } then: {
            await database.close()
        }
    }

    /// Turns a standby into a primary. Returns when it can be written to.
    public func promote() async throws(DatabaseError) {
        let database = Database(DatabaseSettings(url: conninfo(), prepare: .never, maximumConnections: 1))
        try await withCleanup { () throws(DatabaseError) in
            let isDone = try await database.query("SELECT pg_promote(true, 60)") { rows in
                try rows.single { row in try row.bool() }
            }
            guard isDone else { throw DatabaseError(doing: "promote a standby", message: "not within a minute") }
        } then: {
            await database.close()
        }
    }

    /// How to connect to the one of two servers that can be written to.
    public func conninfo(database: String, or other: TemporaryServer) -> String {
        PostgresProcess.conninfo("\(directory),\(other.directory)", database: database)
            .replacing("target_session_attrs=any", with: "target_session_attrs=read-write")
            .replacing(" hostaddr=''", with: "")
    }
}
