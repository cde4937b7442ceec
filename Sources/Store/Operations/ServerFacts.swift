import Postgres

/// What `fanfare doctor` checks about a server before it looks at the data. Reads only settings and catalogs.
public struct ServerFacts: Sendable, Equatable {
    /// Such as `15.18 (Debian 15.18-0+deb12u1)`.
    public var version: String
    /// Such as 150018.
    public var versionNumber: Int32
    /// The role that is connected.
    public var role: String
    /// A standby takes no changes.
    public var isStandby: Bool
    /// `transaction_read_only`: set for the role, the database or the server.
    public var isReadOnly: Bool
    public var autovacuum: Bool
    public var fsync: Bool
    public var synchronousCommit: String
    public var clock: ClockDifference
    /// Whether there is a pooler between us and the server.
    public var isPooled: Bool

    /// - Parameter clock: seconds since 1970 by this machine's clock.
    public static func read(from database: Database, clock: @escaping @Sendable () -> Double) async throws
        -> ServerFacts
    {
        try await database.withConnection { connection in
            let announced = await connection.announcedProcess
            let before = clock()
            let (server, process) = try await connection.query(
                "SELECT extract(epoch FROM clock_timestamp())::double precision, pg_backend_pid()",
                doing: "read the server's clock"
            ) { rows in try rows.single { row in (try row.double(), try row.int32()) } }
            let after = clock()
            let difference = ClockDifference(
                seconds: server - (before + after) / 2, error: abs(after - before) / 2)
            return try await connection.query(
                """
                SELECT current_setting('server_version'), current_setting('server_version_num')::int, current_user::text,
                       pg_is_in_recovery(), current_setting('transaction_read_only') = 'on',
                       current_setting('autovacuum') = 'on', current_setting('fsync') = 'on',
                       current_setting('synchronous_commit')
                """, doing: "read the server's settings"
            ) { rows in
                try rows.single { row in
                    ServerFacts(
                        version: try row.string(), versionNumber: try row.int32(), role: try row.string(),
                        isStandby: try row.bool(), isReadOnly: try row.bool(), autovacuum: try row.bool(),
                        fsync: try row.bool(), synchronousCommit: try row.string(), clock: difference,
                        isPooled: announced != process)
                }
            }
        }
    }
}
