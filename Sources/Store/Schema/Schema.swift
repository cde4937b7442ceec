import Postgres

/// The schema of a database, compared with the files of this build. `SchemaUpgrade` changes it.
public struct Schema: Sendable {
    let database: Database
    let files: [SchemaFile]

    public init(database: Database, files: [SchemaFile] = SchemaFile.all) {
        self.database = database
        self.files = files
    }

    /// A release whose schema a database has, or had before a newer one.
    public struct Release: Sendable, Equatable {
        public var number: Int32
        /// The oldest release whose builds work with the schema.
        public var worksFrom: Int32
        public var at: Timestamp
        public var by: String
        /// nil: psql ran it.
        public var appVersion: String?
    }

    /// A file that made the schema of a database.
    public struct Applied: Sendable, Equatable {
        public var path: String
        /// Checksum of the text that was run; nil when psql ran it.
        public var sha256: String?
        public var at: Timestamp
        public var by: String
        public var appVersion: String?
    }

    /// The releases of the schema, the newest last; empty without a schema.
    public func releases() async throws -> [Release] {
        try await database.withConnection { connection in try await Self.releases(connection) } ?? []
    }

    public func applied() async throws(DatabaseError) -> [Applied] {
        try await database.query(
            "SELECT path, sha256, applied_at, applied_by, app_version FROM push.schema_files()",
            doing: "read the files of the schema"
        ) { rows in
            try rows.map { row in
                Applied(
                    path: try row.string(), sha256: try row.stringOrNil(), at: try row.timestamp(),
                    by: try row.string(), appVersion: try row.stringOrNil())
            }
        }
    }

    public func standing() async throws -> Standing {
        try await database.withConnection { connection in try await Self.standing(connection) }
    }

    static func standing(_ connection: Connection) async throws(DatabaseError) -> Standing {
        guard let releases = try await releases(connection) else { return .unreleased }
        return Standing(releases, knows: release)
    }

    /// - Returns: nil: the schema is from before the first release.
    private static func releases(_ connection: Connection) async throws(DatabaseError) -> [Release]? {
        // Functions, because every role may look for them.
        let found = try await connection.query(
            """
            SELECT CASE WHEN to_regprocedure('push.schema_files()') IS NOT NULL THEN 'released'
                        WHEN to_regprocedure('push.schema()') IS NOT NULL THEN 'unreleased' ELSE '' END
            """, doing: "look for the schema"
        ) { rows in try rows.single { row in try row.string() } }
        guard found == "released" else { return found.isEmpty ? [] : nil }
        return try await connection.query(
            "SELECT release, works_from, applied_at, applied_by, app_version FROM push.schema() ORDER BY release",
            doing: "read the release of the schema"
        ) { rows in
            try rows.map { row in
                Release(
                    number: try row.int32(), worksFrom: try row.int32(), at: try row.timestamp(),
                    by: try row.string(), appVersion: try row.stringOrNil())
            }
        }
    }

    /// Checks that this build can use the schema.
    ///
    /// - Returns: current, or newer and usable: then `Standing.notice` has a text for people.
    /// - Throws: `SchemaError`, which names the command to run, or `DatabaseError`.
    @discardableResult
    public func require() async throws -> Standing {
        let standing = try await standing()
        if let refusal = standing.refusal { throw refusal }
        return standing
    }

    /// The files that `migrate` would run, in order: numbered ones that the database lacks, and others whose text is not
    /// the one it has. Empty where the schema is newer and this build would leave it alone.
    ///
    /// - Throws: `DatabaseError`.
    public func pending() async throws -> [SchemaFile] {
        let standing = try await standing()
        switch standing {
        case .newer, .tooNew, .unreleased: return []
        case .absent: return files
        case .current, .older: break
        }
        let recorded = Dictionary(uniqueKeysWithValues: try await applied().map { ($0.path, $0.sha256) })
        return files.pending(try await checksums(), recorded: recorded)
    }

    /// Makes the partitions that will be needed soon, and closes those that are old. Cheap when nothing has to be done.
    ///
    /// - Returns: how many were made; negative: another session is making them.
    public func makePartitions() async throws(DatabaseError) -> Int32 {
        try await database.single("SELECT coalesce(push.make_partitions(), -1)", doing: "make partitions") {
            row in try row.int32()
        }
    }

    private func checksums() async throws -> [String: String] {
        try await database.withConnection { connection in try await files.checksums(connection) }
    }

    /// Problems of the schema; empty: none. What psql ran is not compared.
    public func verify() async throws -> [String] {
        let standing = try await standing()
        if let refusal = standing.refusal { return ["\(refusal)"] }
        var problems: [String] = []
        if case .current = standing {
            let recorded = Dictionary(uniqueKeysWithValues: try await applied().map { ($0.path, $0.sha256) })
            let checksums = try await checksums()
            for file in files where file.isNumbered {
                if let sum = recorded[file.path] ?? nil, sum != checksums[file.path] {
                    problems.append("\(file.path) was run from another text than this build has.")
                }
            }
            let byFanfare = recorded.contains { path, sum in sum != nil && !SchemaFile(path, sql: "").isNumbered }
            let pending = byFanfare ? files.pending(checksums, recorded: recorded) : []
            if !pending.isEmpty {
                let paths = pending.map(\.path).joined(separator: ", ")
                problems.append("The schema differs from this build in \(paths): run fanfare migrate up.")
            }
        }
        let mayLook = try await database.single(
            "SELECT has_function_privilege('push.filled_defaults()', 'EXECUTE')", doing: "look at the role's rights"
        ) { row in try row.bool() }
        guard mayLook else { return problems }  // a backend's login
        let filled = try await database.query("SELECT push.filled_defaults()", doing: "look into DEFAULT partitions") {
            rows in try rows.map { row in try row.string() }
        }
        return problems + filled.map { "push.\($0) has rows: run SELECT push.empty_default_partitions()." }
    }
}
