import Postgres

extension Schema {
    /// A number that tells this database from others, of the same server too: of the `system_identifier` that initdb gave the
    /// server, and the oid of the database. A standby that is promoted has the same one; a database that was restored from a dump
    /// has another.
    ///
    /// - Throws: `DatabaseError`.
    public func databaseNumber() async throws(DatabaseError) -> UInt64 {
        try await database.query(
            """
            SELECT s.system_identifier, d.oid::bigint
              FROM pg_control_system() s
                   JOIN pg_database d ON d.datname = current_database()
            """,
            doing: "read which database this is"
        ) { rows in
            try rows.single { row in
                Self.number(system: UInt64(bitPattern: try row.int64()), database: UInt64(try row.int64()))
            }
        }
    }

    /// Mixed, because identifiers of servers that were made at the same time begin alike (the finaliser of SplitMix64).
    static func number(system: UInt64, database: UInt64) -> UInt64 {
        var value = system &+ database &* 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
