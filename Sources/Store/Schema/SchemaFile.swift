import Postgres

/// A file of `migrations/`: plain SQL that psql can run, too.
///
/// A numbered file changes tables and runs once. Any other file holds functions, views, triggers or rights as they are now, and
/// is run again when its text has changed.
public struct SchemaFile: Sendable, Equatable {
    /// Below `migrations/`: `functions/protocol/claim.sql`.
    public let path: String
    public let sql: String

    init(_ path: String, sql: String) {
        self.path = path
        self.sql = sql
    }

    /// Whether it runs once: `0001_initial.sql`.
    public var isNumbered: Bool { path.first?.isNumber == true }

    /// The rights of the roles. A function that was made anew has none of them, so this file follows whatever ran.
    var isRoles: Bool { path == "roles.sql" }

    /// All files but the one that makes roles and grants them their rights, because roles belong to the whole server. For
    /// temporary databases.
    public static let allWithoutRoles = all.filter { !$0.isRoles }

    /// `migrations/install.sql` with the files in their places: a script for psql that makes the schema or brings it up to
    /// this build.
    public static let script: String = {
        let texts = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0.sql) })
        return install.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in line.hasPrefix("\\ir ") ? texts[String(line.dropFirst(4))] ?? String(line) : String(line) }
            .joined(separator: "\n")
    }()
}

extension [SchemaFile] {
    /// Which of these files a database lacks or has from another text, in their order; and the file of the roles behind
    /// any of them.
    ///
    /// - Parameters:
    ///   - checksums: of these files, by path.
    ///   - recorded: of the files that the database has, by path; nil where psql ran the file.
    func pending(_ checksums: [String: String], recorded: [String: String?]) -> [SchemaFile] {
        let changed = filter { file in
            guard let has = recorded[file.path] else { return true }
            return !file.isNumbered && has != checksums[file.path]
        }
        return changed.isEmpty ? [] : filter { $0.isRoles || changed.contains($0) }
    }

    /// What the server makes of each text, by path.
    func checksums(_ connection: Connection) async throws(DatabaseError) -> [String: String] {
        try await connection.query(
            """
            SELECT p, encode(sha256(convert_to(t, 'UTF8')), 'hex') FROM unnest(\(map(\.path)), \(map(\.sql))) f(p, t)
            """, doing: "compute checksums of the schema's files"
        ) { rows in
            var sums: [String: String] = [:]
            try rows.forEach { row in
                let path = try row.string()
                sums[path] = try row.string()
            }
            return sums
        }
    }
}
