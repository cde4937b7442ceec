import Glibc
import Postgres

/// What goes wrong with servers, to order: they stop, they crash, and another one takes over.
extension TemporaryServer {
    /// How a server ends.
    public enum Ending: Sendable {
        /// As `pg_ctl stop -m fast`: sessions are ended, and everything is written.
        case fast
        /// As `pg_ctl stop -m immediate`: nothing more is written; the next start recovers.
        case immediate
        /// As `kill -9` of the server: nobody is told, and its sessions go a moment later.
        case killed
    }

    /// Ends the server and keeps its data. Returns when its process has ended; nothing happens to one that does not run.
    public func halt(_ ending: Ending) async {
        switch ending {
        case .fast: await keeper.halt(SIGINT)
        case .immediate: await keeper.halt(SIGQUIT)
        case .killed: await keeper.halt(SIGKILL)
        }
    }

    /// Starts a server that was halted; at the same place, with its data.
    ///
    /// - Throws: `TemporaryServerError` when it does not take connections within a minute. It can be tried again.
    public func startAgain() async throws(TemporaryServerError) { try await keeper.startAgain() }

    /// A hot standby: a copy of this server that follows it and can be read. From now on a commit here returns only when
    /// it is safe there too; so a commit waits for as long as the standby is halted.
    ///
    /// - Parameter options: those of this server, because a standby needs as many connections at least.
    public func standby(_ options: Options = Options()) async throws -> TemporaryServer {
        let standby = TemporaryServer(keeper: try await PostgresProcess.start(options, standbyOf: conninfo()))
        let database = Database(DatabaseSettings(url: conninfo(), prepare: .never, maximumConnections: 1))
        do {
            // The copy was made before this: the standby waits for nobody when it has taken over.
            try await database.execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
            try await database.execute("SELECT pg_reload_conf()")
            let isFollowed: SQL = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
            while try await database.query(isFollowed, { rows in try rows[0].int64(0) }) == 0 {
                try Task.checkCancellation()
            }
        } catch {
            await database.close()
            throw error
        }
        await database.close()
        return standby
    }

    /// Makes a standby a server that can be written to. Returns when it can.
    public func promote() async throws(DatabaseError) {
        let database = Database(DatabaseSettings(url: conninfo(), prepare: .never, maximumConnections: 1))
        do throws(DatabaseError) {
            let isDone = try await database.query("SELECT pg_promote(true, 60)") { rows in try rows[0].bool(0) }
            guard isDone else { throw DatabaseError(doing: "promote a standby", message: "not within a minute") }
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    /// How to connect to that one of two servers that can be written to.
    public func conninfo(database: String, or other: TemporaryServer) -> String {
        PostgresProcess.conninfo("\(directory),\(other.directory)", database: database)
            .replacing("target_session_attrs=any", with: "target_session_attrs=read-write")
            .replacing(" hostaddr=''", with: "")
    }
}
