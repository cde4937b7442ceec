import Postgres

/// Every lock that PostgreSQL lets a session ask for, whether its role may have it or not.
public enum Locks {
    /// Roles of ours that somebody may be a member of, each alone; nil: a login with CONNECT and nothing else. The owner is not among
    /// them: it can lock everything out. Neither is push_console, which has no right but to take on one of these.
    public static let roles = [
        nil, "push_enqueue", "push_register", "push_campaign", "push_approve", "push_monitor", "push_operator",
        "push_worker",
    ]

    private static let modes = [
        "ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE",
        "EXCLUSIVE", "ACCESS EXCLUSIVE",
    ]

    /// - Parameter database: as the owner of the schema, to know its tables.
    public static func statements(in database: Database) async throws -> [SQL] {
        let tables = try await database.query(
            """
            SELECT oid::regclass::text FROM pg_class
             WHERE relnamespace = 'push'::regnamespace AND relkind IN ('r', 'p', 'v') ORDER BY 1
            """
        ) { rows in try rows.map { row in try row.string() } }
        let key = try await database.query("SELECT push_internal.arrival_lock()") { rows in
            try rows.single { row in try row.int32() }
        }
        let advisory: [SQL] = [
            // What results announce themselves by, also ahead, and every low key of the other space.
            "SELECT pg_advisory_xact_lock(\(key), n) FROM generate_series(0, 1500) n",
            "SELECT pg_advisory_xact_lock(n) FROM generate_series(0, 1500) n",
            "SELECT pg_advisory_xact_lock_shared(\(key), n) FROM generate_series(1501, 1600) n",
        ]
        return advisory
            + tables.flatMap { table in
                modes.map { "LOCK TABLE \(raw: table) IN \(raw: $0) MODE NOWAIT" as SQL }
                    + ["UPDATE", "NO KEY UPDATE", "SHARE", "KEY SHARE"].map {
                        "SELECT FROM \(raw: table) FOR \(raw: $0) NOWAIT" as SQL
                    }
            }
    }

    /// Takes what it may, in the transaction that is open.
    ///
    /// - Returns: how many it could take.
    public static func take(_ statements: [SQL], over connection: Connection) async throws(DatabaseError) -> Int {
        var taken = 0
        for statement in statements {
            try await connection.script("SAVEPOINT s")
            do throws(DatabaseError) {
                try await connection.execute(statement)
                taken += 1
            } catch {
                try await connection.script("ROLLBACK TO SAVEPOINT s")
            }
        }
        return taken
    }
}
