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
        Migration(7, "timeline", PackageResources._007_timeline_sql),
        Migration(8, "keys", PackageResources._008_keys_sql),
        Migration(9, "partitions", PackageResources._009_partitions_sql),
        Migration(10, "refuse_values", PackageResources._010_refuse_values_sql),
        Migration(11, "refuse_tags", PackageResources._011_refuse_tags_sql),
        Migration(12, "payload_rules", PackageResources._012_payload_rules_sql),
        Migration(13, "apple_payloads", PackageResources._013_apple_payloads_sql),
        Migration(14, "fcm_payloads", PackageResources._014_fcm_payloads_sql),
        Migration(15, "other_payloads", PackageResources._015_other_payloads_sql),
        Migration(16, "refuse_content", PackageResources._016_refuse_content_sql),
        Migration(17, "refuse_statements", PackageResources._017_refuse_statements_sql),
        Migration(18, "enqueue_keys", PackageResources._018_enqueue_keys_sql),
        Migration(19, "enqueue", PackageResources._019_enqueue_sql),
        Migration(20, "enqueue_functions", PackageResources._020_enqueue_functions_sql),
        Migration(21, "enqueue_one", PackageResources._021_enqueue_one_sql),
        Migration(22, "gather", PackageResources._022_gather_sql),
        Migration(23, "claim", PackageResources._023_claim_sql),
        Migration(24, "intent", PackageResources._024_intent_sql),
        Migration(25, "results", PackageResources._025_results_sql),
        Migration(26, "complete", PackageResources._026_complete_sql),
        Migration(27, "workers", PackageResources._027_workers_sql),
        Migration(28, "rescue", PackageResources._028_rescue_sql),
        Migration(29, "hub_rates", PackageResources._029_hub_rates_sql),
        Migration(30, "hub_states", PackageResources._030_hub_states_sql),
        Migration(31, "message_views", PackageResources._031_message_views_sql),
        Migration(32, "operation_views", PackageResources._032_operation_views_sql),
        Migration(33, "estimate", PackageResources._033_estimate_sql),
        Migration(34, "hub_functions", PackageResources._034_hub_functions_sql),
        Migration(35, "cancel", PackageResources._035_cancel_sql),
        Migration(36, "cancel_many", PackageResources._036_cancel_many_sql),
        Migration(37, "retry", PackageResources._037_retry_sql),
        Migration(38, "resolve", PackageResources._038_resolve_sql),
        Migration(39, "erase", PackageResources._039_erase_sql),
        Migration(40, "forget_keys", PackageResources._040_forget_keys_sql),
        Migration(41, "purge", PackageResources._041_purge_sql),
        Migration(42, "checks", PackageResources._042_checks_sql),
        Migration(43, "ended", PackageResources._043_ended_sql),
        Migration(44, "find_messages", PackageResources._044_find_messages_sql),
        Migration(45, "remove_hub", PackageResources._045_remove_hub_sql),
        Migration(46, "roles", PackageResources._046_roles_sql),
        Migration(47, "check", PackageResources._047_check_sql),
        Migration(48, "devices", PackageResources._048_devices_sql),
        Migration(49, "device_rules", PackageResources._049_device_rules_sql),
        Migration(50, "change_devices", PackageResources._050_change_devices_sql),
        Migration(51, "apply_devices", PackageResources._051_apply_devices_sql),
        Migration(52, "device_views", PackageResources._052_device_views_sql),
        Migration(53, "many_hubs", PackageResources._053_many_hubs_sql),
        Migration(54, "quiet_hubs", PackageResources._054_quiet_hubs_sql),
        Migration(55, "campaigns", PackageResources._055_campaigns_sql),
        Migration(56, "campaign_specs", PackageResources._056_campaign_specs_sql),
        Migration(57, "audiences", PackageResources._057_audiences_sql),
        Migration(58, "expand_runs", PackageResources._058_expand_runs_sql),
        Migration(59, "steer_runs", PackageResources._059_steer_runs_sql),
        Migration(60, "run_progress", PackageResources._060_run_progress_sql),
        Migration(61, "check_campaign", PackageResources._061_check_campaign_sql),
        Migration(62, "pulse", PackageResources._062_pulse_sql),
        Migration(63, "schedules", PackageResources._063_schedules_sql),
        Migration(64, "fire_campaigns", PackageResources._064_fire_campaigns_sql),
        Migration(65, "canary", PackageResources._065_canary_sql),
        Migration(66, "approval", PackageResources._066_approval_sql),
        Migration(67, "caps", PackageResources._067_caps_sql),
        Migration(68, "windows", PackageResources._068_windows_sql),
        Migration(69, "zones_of_audiences", PackageResources._069_zones_of_audiences_sql),
        Migration(70, "local_specs", PackageResources._070_local_specs_sql),
        Migration(71, "local_delivery", PackageResources._071_local_delivery_sql),
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
