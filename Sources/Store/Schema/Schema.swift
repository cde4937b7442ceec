import Postgres

/// The schema of a database, compared with the migrations of this build.
public struct Schema: Sendable {
    let database: Database
    private let migrations: [Migration]

    public init(database: Database, migrations: [Migration] = Migration.all) {
        self.database = database
        self.migrations = migrations
    }

    /// A migration that a database has.
    public struct Applied: Sendable, Equatable {
        public var version: Int32
        public var name: String
        /// The lowest version that a build must know to go on with this schema.
        public var worksFrom: Int32
        /// Checksum of the file that was run; nil when psql ran it.
        public var sha256: String?
        public var at: Timestamp
        public var by: String
        public var appVersion: String?
    }

    public func applied() async throws(DatabaseError) -> [Applied] {
        let exists = try await database.single(
            "SELECT to_regprocedure('push.schema()') IS NOT NULL", doing: "look for the schema"
        ) { row throws(DatabaseError) in try row.bool(0) }
        guard exists else { return [] }
        return try await database.query(
            """
            SELECT version, name, works_from, sha256, applied_at, applied_by, app_version
              FROM push.schema() ORDER BY version
            """, doing: "read the version of the schema"
        ) { rows throws(DatabaseError) in
            try rows.map { row throws(DatabaseError) in
                Applied(
                    version: try row.int32(0), name: try row.string(1), worksFrom: try row.int32(2),
                    sha256: try row.stringOrNil(3), at: try row.timestamp(4), by: try row.string(5),
                    appVersion: try row.stringOrNil(6))
            }
        }
    }

    public func standing() async throws(DatabaseError) -> Standing {
        Standing(try await applied(), knows: migrations.last?.version ?? 0)
    }

    /// Checks that this build can use the schema.
    ///
    /// - Returns: current, or newer and usable: `Standing.notice` then says so.
    /// - Throws: `SchemaError`, which names the command to run, or `DatabaseError`.
    @discardableResult
    public func require() async throws -> Standing {
        let standing = try await standing()
        if let refusal = standing.refusal { throw refusal }
        return standing
    }

    /// Brings the schema up to this build and makes partitions ahead. Each migration is one transaction that locks
    /// `push.migration`, so several processes may run it at once, and it works through a pooler.
    ///
    /// - Returns: the migrations that were run; empty when the schema was current, or newer and usable.
    /// - Throws: `SchemaError` when this build cannot use the schema because it is newer; `DatabaseError` with the line
    ///   of the file.
    public func migrate(appVersion: String) async throws -> [Migration] {
        var run: [Migration] = []
        switch try await standing() {
        case .tooNew(let has, let knows, let worksFrom):
            throw SchemaError.newer(has: has, knows: knows, worksFrom: worksFrom)
        case .current, .newer: break
        case .absent, .older:
            for migration in migrations {
                if try await apply(migration, appVersion) { run.append(migration) }
            }
        }
        _ = try await makePartitions()
        return run
    }

    /// - Returns: false: the schema has it already.
    private func apply(_ migration: Migration, _ appVersion: String) async throws -> Bool {
        do {
            return try await database.withTransaction { connection in
                // A snapshot from before the lock would not show what the process did that had it before us.
                try await connection.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
                if try await Self.isBegun(connection) {
                    try await connection.execute("LOCK TABLE push.migration IN EXCLUSIVE MODE")
                    if try await Self.has(migration, connection) { return false }
                }
                try await connection.script(migration.sql, doing: "run migration \(migration.file)")
                try await connection.execute(
                    """
                    UPDATE push.migration SET app_version = \(appVersion),
                           sha256 = encode(sha256(convert_to(\(migration.sql), 'UTF8')), 'hex')
                     WHERE version = \(migration.version)
                    """)
                return true
            }
        } catch let error as DatabaseError where error.is(.uniqueViolation) || error.is(.duplicateSchema) {
            // Of two processes that begin with an empty database, one fails at CREATE SCHEMA when the other commits.
            let madeByAnother = try await database.withConnection { connection in
                guard try await Self.isBegun(connection) else { return false }
                return try await Self.has(migration, connection)
            }
            guard madeByAnother else { throw error }
            return false
        }
    }

    private static func isBegun(_ connection: Connection) async throws(DatabaseError) -> Bool {
        try await connection.query("SELECT to_regclass('push.migration') IS NOT NULL", doing: "look for the schema") {
            rows throws(DatabaseError) in try rows[0].bool(0)
        }
    }

    private static func has(_ migration: Migration, _ connection: Connection) async throws(DatabaseError) -> Bool {
        try await connection.execute("SELECT FROM push.migration WHERE version = \(migration.version)") > 0
    }

    /// Makes the partitions that will be needed soon, and closes those that are old. Cheap when nothing has to be done.
    ///
    /// - Returns: how many were made; negative: another session is making them.
    public func makePartitions() async throws(DatabaseError) -> Int32 {
        try await database.single("SELECT coalesce(push.make_partitions(), -1)", doing: "make partitions") {
            row throws(DatabaseError) in try row.int32(0)
        }
    }

    /// Problems of the schema; empty: none.
    public func verify() async throws(DatabaseError) -> [String] {
        let applied = try await applied()
        let standing = Standing(applied, knows: migrations.last?.version ?? 0)
        var problems: [String] = []
        switch standing {
        case .current, .newer: break
        case .absent: return ["There is no schema push: run fanfare migrate up."]
        case .older(let has, let needs):
            problems.append("The schema is at \(has) and this build needs \(needs): run fanfare migrate up.")
        case .tooNew(let has, let knows, let worksFrom):
            problems.append(
                "The schema is at \(has), which works from \(worksFrom) on, and this build knows \(knows): "
                    + "upgrade fanfare.")
        }
        for applied in applied {
            guard let migration = migrations.first(where: { $0.version == applied.version }),
                let recorded = applied.sha256
            else { continue }
            let sum = try await database.single(
                "SELECT encode(sha256(convert_to(\(migration.sql), 'UTF8')), 'hex')", doing: "checksum a migration"
            ) { row throws(DatabaseError) in try row.string(0) }
            if sum != recorded {
                problems.append("Migration \(migration.file) was run from another text than this build has.")
            }
        }
        guard standing.refusal == nil else { return problems }  // its functions may not be there
        let mayLook = try await database.single(
            "SELECT has_function_privilege('push.filled_defaults()', 'EXECUTE')", doing: "look at the role's rights"
        ) { row throws(DatabaseError) in try row.bool(0) }
        guard mayLook else { return problems }  // a backend's login
        let filled = try await database.query("SELECT push.filled_defaults()", doing: "look into DEFAULT partitions") {
            rows throws(DatabaseError) in try rows.map { row throws(DatabaseError) in try row.string(0) }
        }
        return problems + filled.map { "push.\($0) has rows: run SELECT push.mend_partitions()." }
    }
}
