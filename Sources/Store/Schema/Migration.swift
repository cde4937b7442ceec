/// A numbered file of `migrations/`: plain SQL that psql can run, too.
public struct Migration: Sendable, Equatable {
    public let version: Int32
    public let name: String
    public let sql: String

    /// All migrations of this build, in order. The files are compiled in, so the binary carries its schema.
    public static let all: [Migration] = [
        Migration(1, "tables", PackageResources._001_tables_sql),
        Migration(2, "enqueue", PackageResources._002_enqueue_sql),
        Migration(3, "protocol", PackageResources._003_protocol_sql),
        Migration(4, "people", PackageResources._004_people_sql),
        Migration(5, "operations", PackageResources._005_operations_sql),
        Migration(6, "roles", PackageResources._006_roles_sql),
    ]

    /// All migrations, but no role is created, because roles belong to the whole server. For temporary databases.
    public static let allWithoutRoles: [Migration] = all.map { migration in
        let sql = migration.sql.replacing("\nSELECT push.grant_roles();\n", with: "\n")
        return Migration(migration.version, migration.name, sql: sql)
    }

    private init(_ version: Int32, _ name: String, _ bytes: [UInt8]) {
        self.init(version, name, sql: String(decoding: bytes, as: UTF8.self))
    }

    init(_ version: Int32, _ name: String, sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
    }

    /// `0001_tables.sql`
    public var file: String {
        let digits = String(version)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_\(name).sql"
    }
}
