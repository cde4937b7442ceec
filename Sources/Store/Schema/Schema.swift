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
        /// Checksum of the file that was run; nil when psql ran it.
        public var sha256: String?
        public var at: Timestamp
        public var by: String
        public var appVersion: String?
    }

    /// How the schema compares with this build.
    public enum Standing: Sendable, Equatable {
        case current(Int32)
        /// No schema `push` at all.
        case absent
        case older(has: Int32, needs: Int32)
        /// From a newer Fanfare.
        case newer(has: Int32, knows: Int32)
    }

    public func applied() async throws(DatabaseError) -> [Applied] {
        let exists = try await database.single(
            "SELECT to_regclass('push.migration') IS NOT NULL", doing: "look for the schema"
        ) { row throws(DatabaseError) in try row.bool(0) }
        guard exists else { return [] }
        return try await database.query(
            "SELECT version, name, sha256, applied_at, applied_by, app_version FROM push.migration ORDER BY version",
            doing: "read push.migration"
        ) { rows throws(DatabaseError) in
            try rows.map { row throws(DatabaseError) in
                Applied(
                    version: try row.int32(0), name: try row.string(1), sha256: try row.stringOrNil(2),
                    at: try row.timestamp(3), by: try row.string(4), appVersion: try row.stringOrNil(5))
            }
        }
    }

    public func standing() async throws(DatabaseError) -> Standing {
        let known = migrations.last?.version ?? 0
        guard let has = try await applied().last?.version else { return .absent }
        if has > known { return .newer(has: has, knows: known) }
        return has < known ? .older(has: has, needs: known) : .current(has)
    }

    /// Checks that the schema is exactly the one this build needs.
    ///
    /// - Throws: `SchemaError`, which names the command to run, or `DatabaseError`.
    public func require() async throws {
        switch try await standing() {
        case .current: return
        case .absent: throw SchemaError.absent
        case .older(let has, let needs): throw SchemaError.older(has: has, needs: needs)
        case .newer(let has, let knows): throw SchemaError.newer(has: has, knows: knows)
        }
    }

    /// Brings the schema up to this build and makes partitions ahead. Each migration is one transaction with an advisory lock
    /// that ends with it, so several processes may run it at once, and it works through a pooler.
    ///
    /// - Returns: the migrations that were run; empty when the schema was current.
    /// - Throws: `SchemaError` when the schema is newer than this build; `DatabaseError` with the line of the file.
    public func migrate(appVersion: String) async throws -> [Migration] {
        if case .newer(let has, let knows) = try await standing() { throw SchemaError.newer(has: has, knows: knows) }
        var run: [Migration] = []
        for migration in migrations {
            let done = try await database.withTransaction { connection in
                _ = try await connection.execute("SELECT pg_advisory_xact_lock(7310868735422034533)")
                let there = try await connection.query(
                    "SELECT CASE WHEN to_regclass('push.migration') IS NULL THEN 0 ELSE 1 END"
                ) { rows throws(DatabaseError) in
                    try rows.first { row throws(DatabaseError) in try row.int32(0) } ?? 0
                }
                if there == 1 {
                    let known = try await connection.execute(
                        "SELECT FROM push.migration WHERE version = \(migration.version)")
                    if known > 0 { return false }
                }
                try await connection.script(migration.sql, doing: "run migration \(migration.file)")
                _ = try await connection.execute(
                    """
                    UPDATE push.migration SET app_version = \(appVersion),
                           sha256 = encode(sha256(convert_to(\(migration.sql), 'UTF8')), 'hex')
                     WHERE version = \(migration.version)
                    """)
                return true
            }
            if done { run.append(migration) }
        }
        _ = try await makePartitions()
        return run
    }

    /// Makes the partitions that will be needed soon. Cheap when nothing has to be done.
    ///
    /// - Returns: how many were made.
    public func makePartitions() async throws(DatabaseError) -> Int32 {
        try await database.single("SELECT push.make_partitions()", doing: "make partitions") {
            row throws(DatabaseError) in try row.int32(0)
        }
    }

    /// Problems of the schema; empty: none.
    public func verify() async throws(DatabaseError) -> [String] {
        var problems: [String] = []
        switch try await standing() {
        case .current: break
        case .absent: return ["There is no schema push: run fanfare migrate up."]
        case .older(let has, let needs):
            problems.append("The schema is at \(has) and this build needs \(needs): run fanfare migrate up.")
        case .newer(let has, let knows):
            problems.append("The schema is at \(has) and this build knows \(knows): upgrade fanfare.")
        }
        for applied in try await applied() {
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
        if case .older = try await standing() { return problems }  // its tables may not be there yet
        for part in ["message_default", "result_default", "post_default", "answer_default"] {
            let filled = try await database.single(
                "SELECT EXISTS (SELECT FROM push.\(name: part))", doing: "look into push.\(part)"
            ) { row throws(DatabaseError) in try row.bool(0) }
            if filled { problems.append("push.\(part) has rows: run SELECT push.mend_partitions().") }
        }
        return problems
    }
}

/// Why the schema cannot be used or changed.
public enum SchemaError: Error, CustomStringConvertible, Equatable {
    case newer(has: Int32, knows: Int32)
    case absent
    case older(has: Int32, needs: Int32)

    public var description: String {
        switch self {
        case .newer(let has, let knows):
            "the schema push is at version \(has) and this fanfare knows \(knows): upgrade fanfare; nothing was changed"
        case .absent: "this database has no schema push: run `fanfare migrate up`"
        case .older(let has, let needs):
            "the schema push is at version \(has) and this fanfare needs \(needs): run `fanfare migrate up`"
        }
    }
}
