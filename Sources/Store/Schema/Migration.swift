/// A numbered file of `migrations/`: plain SQL that psql can run, too.
public struct Migration: Sendable, Equatable {
    public let version: Int32
    public let name: String
    public let sql: String

    /// All migrations of this build, in order. The files are compiled in, so the binary carries its schema.
    public static let all: [Migration] = [
        Migration(1, "schema", PackageResources._001_schema_sql),
        Migration(2, "hubs", PackageResources._002_hubs_sql),
        Migration(3, "messages", PackageResources._003_messages_sql),
        Migration(4, "pending", PackageResources._004_pending_sql),
        Migration(5, "holders", PackageResources._005_holders_sql),
        Migration(6, "records", PackageResources._006_records_sql),
        Migration(7, "keys", PackageResources._007_keys_sql),
        Migration(8, "partitions", PackageResources._008_partitions_sql),
        Migration(9, "refuse_values", PackageResources._009_refuse_values_sql),
        Migration(10, "refuse_tags", PackageResources._010_refuse_tags_sql),
        Migration(11, "refuse_payloads", PackageResources._011_refuse_payloads_sql),
        Migration(12, "refuse_content", PackageResources._012_refuse_content_sql),
        Migration(13, "enqueue_keys", PackageResources._013_enqueue_keys_sql),
        Migration(14, "enqueue", PackageResources._014_enqueue_sql),
        Migration(15, "enqueue_functions", PackageResources._015_enqueue_functions_sql),
        Migration(16, "gather", PackageResources._016_gather_sql),
        Migration(17, "claim", PackageResources._017_claim_sql),
        Migration(18, "intent", PackageResources._018_intent_sql),
        Migration(19, "complete", PackageResources._019_complete_sql),
        Migration(20, "workers", PackageResources._020_workers_sql),
        Migration(21, "rescue", PackageResources._021_rescue_sql),
        Migration(22, "hub_rates", PackageResources._022_hub_rates_sql),
        Migration(23, "hub_states", PackageResources._023_hub_states_sql),
        Migration(24, "message_views", PackageResources._024_message_views_sql),
        Migration(25, "operation_views", PackageResources._025_operation_views_sql),
        Migration(26, "estimate", PackageResources._026_estimate_sql),
        Migration(27, "hub_functions", PackageResources._027_hub_functions_sql),
        Migration(28, "cancel", PackageResources._028_cancel_sql),
        Migration(29, "cancel_many", PackageResources._029_cancel_many_sql),
        Migration(30, "retry", PackageResources._030_retry_sql),
        Migration(31, "resolve", PackageResources._031_resolve_sql),
        Migration(32, "erase", PackageResources._032_erase_sql),
        Migration(33, "forget_keys", PackageResources._033_forget_keys_sql),
        Migration(34, "purge", PackageResources._034_purge_sql),
        Migration(35, "checks", PackageResources._035_checks_sql),
        Migration(36, "roles", PackageResources._036_roles_sql),
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

    /// `0001_schema.sql`
    public var file: String {
        let digits = String(version)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_\(name).sql"
    }
}
