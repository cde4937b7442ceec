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
        Migration(11, "payload_rules", PackageResources._011_payload_rules_sql),
        Migration(12, "apple_payloads", PackageResources._012_apple_payloads_sql),
        Migration(13, "fcm_payloads", PackageResources._013_fcm_payloads_sql),
        Migration(14, "other_payloads", PackageResources._014_other_payloads_sql),
        Migration(15, "refuse_content", PackageResources._015_refuse_content_sql),
        Migration(16, "refuse_statements", PackageResources._016_refuse_statements_sql),
        Migration(17, "enqueue_keys", PackageResources._017_enqueue_keys_sql),
        Migration(18, "enqueue", PackageResources._018_enqueue_sql),
        Migration(19, "enqueue_functions", PackageResources._019_enqueue_functions_sql),
        Migration(20, "enqueue_one", PackageResources._020_enqueue_one_sql),
        Migration(21, "gather", PackageResources._021_gather_sql),
        Migration(22, "claim", PackageResources._022_claim_sql),
        Migration(23, "intent", PackageResources._023_intent_sql),
        Migration(24, "results", PackageResources._024_results_sql),
        Migration(25, "complete", PackageResources._025_complete_sql),
        Migration(26, "workers", PackageResources._026_workers_sql),
        Migration(27, "rescue", PackageResources._027_rescue_sql),
        Migration(28, "hub_rates", PackageResources._028_hub_rates_sql),
        Migration(29, "hub_states", PackageResources._029_hub_states_sql),
        Migration(30, "message_views", PackageResources._030_message_views_sql),
        Migration(31, "operation_views", PackageResources._031_operation_views_sql),
        Migration(32, "estimate", PackageResources._032_estimate_sql),
        Migration(33, "hub_functions", PackageResources._033_hub_functions_sql),
        Migration(34, "cancel", PackageResources._034_cancel_sql),
        Migration(35, "cancel_many", PackageResources._035_cancel_many_sql),
        Migration(36, "retry", PackageResources._036_retry_sql),
        Migration(37, "resolve", PackageResources._037_resolve_sql),
        Migration(38, "erase", PackageResources._038_erase_sql),
        Migration(39, "forget_keys", PackageResources._039_forget_keys_sql),
        Migration(40, "purge", PackageResources._040_purge_sql),
        Migration(41, "checks", PackageResources._041_checks_sql),
        Migration(42, "roles", PackageResources._042_roles_sql),
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
