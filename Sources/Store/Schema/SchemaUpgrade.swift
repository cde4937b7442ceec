import Postgres

extension Schema {
    /// Brings the schema up to this build and makes partitions ahead: all that has to run runs in one transaction, so
    /// after a failure everything is as before. Several processes may do it at once: one works, the others wait and then
    /// have nothing to do. Works through a pooler.
    ///
    /// - Returns: the files that were run; empty when the schema was current, or newer and usable.
    /// - Throws: `SchemaError` when this build cannot use the schema; `DatabaseError`, which names the file and the line.
    public func migrate(appVersion: String) async throws -> [SchemaFile] {
        var run: [SchemaFile]
        do {
            run = try await upgrade(appVersion)
        } catch let error as DatabaseError where error.is(.uniqueViolation) || error.is(.duplicateSchema) {
            // Of two processes that begin with an empty database, one fails at CREATE SCHEMA when the other commits.
            guard try await standing() != .absent else { throw error }
            run = try await upgrade(appVersion)
        }
        _ = try await makePartitions()
        return run
    }

    private func upgrade(_ appVersion: String) async throws -> [SchemaFile] {
        try await database.withTransaction { connection in
            // A snapshot from before the lock would not show what the process did that had it before us.
            try await connection.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
            let recorded = try await Self.lock(connection)
            switch try await Self.standing(connection) {
            case .newer: return []
            case .tooNew(let has, let knows, let worksFrom):
                throw SchemaError.newer(has: has, knows: knows, worksFrom: worksFrom)
            case .unreleased: throw SchemaError.unreleased
            case .current, .older, .absent: break
            }
            let checksums = try await files.checksums(connection)
            var pending = files.pending(checksums, recorded: recorded)
            guard !pending.isEmpty else { return [] }
            // Standard bodies keep what a name means now.
            try await connection.execute("SET LOCAL search_path = pg_catalog, pg_temp")
            // While it waits for a table that somebody reads for long, all others wait behind it. In an empty database only
            // another migrate can be in the way.
            if !recorded.isEmpty { try await connection.execute("SET LOCAL lock_timeout = '5s'") }
            let before = try await Self.objects(connection)
            for file in pending where file.isNumbered { try await Self.run(file, connection) }
            // A numbered file drops what cannot be replaced, and what needs it. Their files make them again, each in its place.
            if !before.isSubset(of: try await Self.objects(connection)) {
                pending = files.filter { !$0.isNumbered || pending.contains($0) }
            }
            for file in pending where !file.isNumbered { try await Self.run(file, connection) }
            try await Self.record(pending, of: files, checksums, appVersion, connection)
            return pending
        }
    }

    /// Keeps others from changing the schema until the end of the transaction.
    ///
    /// - Returns: the checksums of the files that the database has; nil where psql ran the file.
    private static func lock(_ connection: Connection) async throws(DatabaseError) -> [String: String?] {
        let exists = try await connection.query(
            "SELECT to_regclass('push.schema_file') IS NOT NULL", doing: "look for the schema"
        ) { rows in try rows.single { row in try row.bool() } }
        guard exists else { return [:] }
        try await connection.execute("LOCK TABLE push.schema_file IN EXCLUSIVE MODE")
        return try await connection.query("SELECT path, sha256 FROM push.schema_file", doing: "read the schema's files")
        {
            rows in
            var recorded: [String: String?] = [:]
            try rows.forEach { row in
                let path = try row.string()
                recorded.updateValue(try row.stringOrNil(), forKey: path)
            }
            return recorded
        }
    }

    private static func run(_ file: SchemaFile, _ connection: Connection) async throws(DatabaseError) {
        do {
            try await connection.script(file.sql, doing: "run migrations/\(file.path)")
        } catch {
            var named = error
            if error.is(.dependentObjectsStillExist) {
                // The server's own hint is CASCADE, which would delete what people made.
                named.message += error.detail.map { ": " + $0.split(separator: "\n").joined(separator: "; ") } ?? ""
                named.hint = "drop these, run fanfare migrate up, and make them again; nothing was changed"
            } else if error.is(.invalidFunctionDefinition) {
                named.hint = "a numbered file has to drop it first (CONTRIBUTING.md); nothing was changed"
            }
            throw named
        }
    }

    private static func record(
        _ files: [SchemaFile], of all: [SchemaFile], _ checksums: [String: String], _ appVersion: String,
        _ connection: Connection
    ) async throws(DatabaseError) {
        try await connection.execute(
            "DELETE FROM push.schema_file WHERE path !~ '^[0-9]' AND path <> ALL (\(all.map(\.path)))",
            doing: "forget the schema's files that are gone")
        try await connection.execute(
            """
            INSERT INTO push.schema_file AS f (path, sha256, app_version)
            SELECT u.path, u.sha256, \(appVersion) FROM unnest(\(files.map(\.path)), \(files.map { checksums[$0.path] ?? "" })) u(path, sha256)
                ON CONFLICT (path) DO UPDATE
               SET sha256 = excluded.sha256, app_version = excluded.app_version, applied_at = excluded.applied_at,
                   applied_by = excluded.applied_by
            """, doing: "record the schema's files")
        try await connection.execute(
            """
            UPDATE push.release SET app_version = \(appVersion)
             WHERE release = \(Self.release) AND app_version IS NULL AND applied_at = now()
            """, doing: "record the release")
    }

    /// The functions and views that there are.
    private static func objects(_ connection: Connection) async throws(DatabaseError) -> Set<String> {
        try await connection.query(
            """
            WITH ours AS (SELECT n.oid FROM pg_namespace n WHERE n.nspname IN ('push', 'push_worker', 'push_internal'))
            SELECT p.oid::regprocedure::text FROM pg_proc p JOIN ours ON ours.oid = p.pronamespace
            UNION ALL SELECT c.oid::regclass::text FROM pg_class c JOIN ours ON ours.oid = c.relnamespace WHERE c.relkind = 'v'
            """, doing: "look at functions and views"
        ) { rows in Set(try rows.map { row in try row.string() }) }
    }
}
