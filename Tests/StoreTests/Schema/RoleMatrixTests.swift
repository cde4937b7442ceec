import Postgres
import Store
import TestSupport
import Testing

/// The rights of every role on every table, view, sequence and function. An object of the schema push that is missing here fails
/// the test: add it with its roles, and a function that has any to `push.function_rights`. In push_worker and push_internal
/// the rights follow from the schema.
@Suite struct RoleMatrixTests {
    /// Tables, of which only the owner has a right.
    static let tables = """
        answer claim content content_taken dedupe device device_template reach due hub hub_kind hub_pace hub_state installation_change installation_claim
        installation_due installation_result kept lock partitioned release schema_file cap_group capped_run reached
        ended_listener payload_format payload_name post result retention drain run_content run_transition serving tally timeline translation waiting
        worker
        """

    /// Views.
    static let views = """
        answers backlog device_backlog hub_health hub_settings hub_workers in_doubt lost lost_changes message_status recent_failures
        snapshot_holders throughput workers lock_waits
        """

    /// Tables of campaigns, which their owners may read.
    static let campaignTables = "list slice slice_count stream suppression"

    /// Those that who approves campaigns may read, too.
    private static let approverTables = ["campaign", "campaign_revision", "run", "run_event", "approval"].map {
        "\($0): approve=select campaign=select operator=select"
    }

    /// Views of campaigns.
    private static let campaignViews = [
        "approvals", "campaign_next", "campaigns", "device_templates", "reaches", "run_hubs", "run_progress",
    ].map {
        "\($0): approve=select campaign=select monitor=select operator=select"
    }

    /// What is said of each table and view; `owner`: no role has a right.
    static var relations: [String] {
        tables.split { $0 == " " || $0 == "\n" }.map { "\($0): owner" }
            + views.split { $0 == " " || $0 == "\n" }.map { "\($0): monitor=select operator=select" }
            + campaignTables.split { $0 == " " || $0 == "\n" }.map { "\($0): campaign=select operator=select" }
            + approverTables + campaignViews
            + ["list_member: campaign=select,insert operator=select,insert"]
            + [
                "payload_rule: approve=select audience=select campaign=select console=select enqueue=select monitor=select "
                    + "operator=select register=select worker=select"
            ]
            + ["pulse: monitor=select operator=select"]
            + ["audit: operator=select", "device_status: monitor=select operator=select register=select"]
            + ["gone_targets: register=select"]
            + [
                "message: enqueue=select(id+broadcast+format+send_at+priority+pack+created_at),insert(some) "
                    + "monitor=select(id) operator=select(id)"
            ]
    }

    /// The functions of the schema push by name, with all overloads. `everybody`: those that compute a value from their
    /// arguments alone.
    static let functions = [
        "owner": "grant_roles",
        "enqueue": "cancel_own enqueue enqueue_many retry_own wake_up warm",
        "operator": """
        add_hub cancel cancel_campaign cancel_devices cancel_hub empty_default_partitions erase open_gate pause_hub purge
        register_hub remove_hub rescue resolve resolve_doubts resume_hub retry retry_failed rotate_hub set_rate
        """,
        "register": "drop_device gone_targets_after patch_device put_device",
        "operator worker": "make_partitions",
        "monitor operator": """
        backlog_for_scaling claims_of_workers context_of doubts_of_campaign due_at_of eta find_changes find_message find_messages holder_of holders_of_snapshots
        groups_of_doubts_v1 groups_of_failures_v1 is_alive messages_in_same_post awaited_by search_messages_v1 story_of waits_for_locks
        """,
        "campaign operator": """
        archive_campaign audience_names backfill_campaign campaign_remarks cancel_run create_campaign drop_list keep_members make_list pause_run
        pause_schedule replace_list resolve_run resume_run resume_schedule results_of_run retry_run run_campaign schedule_campaign set_run_rate
        start_run learn_templates forget_templates keep_reach suppress suppress_many tag_campaign test_campaign unarchive_campaign unsuppress
        """,
        "monitor operator worker": "check filled_defaults incidents missing_partitions read_pulse",
        "enqueue monitor operator": "ended_since status_of",
        "approve": "approve reject",
        "approve campaign operator": """
        changes_of_revision check_campaign recipients_of_campaign stand_ins_of_campaign texts_of_campaign
        """,
        "approve campaign monitor operator": """
        failures_of_run find_campaigns_v1 hubs_of_run newest_run_of progress_of_run revision_to_run revisions_of run_events_since
        starts_ahead_v1 unapproved
        """,
        "approve campaign console enqueue monitor operator register worker": "iso schema schema_files",
        "approve campaign console monitor operator": "person",
        everybody: """
        claim_of current_rate first_post function_rights gone_since is_no_post last_post paused_until read_schedule reason_class
        seconds_between target_of pace_of ramped_rate throttled_rate zone_of_schedule
        """,
    ]

    private static let everybody = "approve audience campaign console enqueue monitor operator register worker"

    /// The roles of the schema.
    private static let roles = """
        (VALUES ('push_enqueue'), ('push_register'), ('push_campaign'), ('push_approve'), ('push_audience'), ('push_worker'), ('push_monitor'),
                ('push_operator'), ('push_console')) r(role)
        """

    @Test func everyTableAndViewHasItsRights() async throws {
        let test = try await TestDatabase.make()
        let found = try await test.texts(
            """
            WITH kind(n, name) AS (
                VALUES (1, 'SELECT'), (2, 'INSERT'), (3, 'UPDATE'), (4, 'DELETE'), (5, 'TRUNCATE'), (6, 'REFERENCES'), (7, 'TRIGGER')),
            granted AS (
                SELECT c.relname, replace(r.role, 'push_', '') AS role, string_agg(lower(k.name) || coalesce('(' || columns.names || ')', ''), ',' ORDER BY k.n) AS rights
                  FROM pg_class c CROSS JOIN \(raw: Self.roles) CROSS JOIN kind k
                 CROSS JOIN LATERAL (
                    SELECT CASE WHEN NOT has_table_privilege(r.role, c.oid, k.name) THEN (
                        SELECT CASE WHEN k.name = 'INSERT' THEN 'some' ELSE string_agg(a.attname, '+' ORDER BY a.attnum) END FROM pg_attribute a
                         WHERE a.attrelid = c.oid AND a.attnum > 0 AND has_column_privilege(r.role, c.oid, a.attnum, k.name)) END) columns(names)
                 WHERE c.relnamespace = 'push'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
                   AND (has_table_privilege(r.role, c.oid, k.name)
                        OR k.name IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') AND has_any_column_privilege(r.role, c.oid, k.name))
                 GROUP BY c.relname, r.role)
            SELECT c.relname || ': ' || coalesce((SELECT string_agg(role || '=' || rights, ' ' ORDER BY role) FROM granted g WHERE g.relname = c.relname), 'owner')
              FROM pg_class c
             WHERE c.relnamespace = 'push'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition ORDER BY 1
            """)
        let wanted = Self.relations
        #expect(found.filter { !wanted.contains($0) } == [], "found and not decided")
        #expect(wanted.filter { !found.contains($0) } == [], "decided and not found")
    }

    @Test func everyFunctionHasItsRoles() async throws {
        let test = try await TestDatabase.make()
        func found(_ schema: String) async throws -> [String] {
            try await test.texts(
                """
                SELECT DISTINCT p.proname || ': ' || coalesce((
                           SELECT string_agg(replace(r.role, 'push_', ''), ' ' ORDER BY r.role) FROM \(raw: Self.roles)
                            WHERE has_function_privilege(r.role, p.oid, 'EXECUTE')), 'owner')
                  FROM pg_proc p WHERE p.pronamespace = \(schema)::regnamespace
                   AND p.prolang <> (SELECT l.oid FROM pg_language l WHERE l.lanname = 'internal') ORDER BY 1
                """)
        }
        let wanted = Self.functions.flatMap { roles, names in
            names.split { $0 == " " || $0 == "\n" }.map { "\($0): \(roles)" }
        }
        let ofPeople = try await found("push")
        #expect(ofPeople.filter { !wanted.contains($0) } == [], "found and not decided")
        #expect(wanted.sorted().filter { !ofPeople.contains($0) } == [], "decided and not found")

        let protocolSteps = try await found("push_worker")
        #expect(protocolSteps.filter { !$0.contains(/_v[12]: worker$/) } == [])
        let inner = try await found("push_internal")
        #expect(inner.filter { !$0.hasSuffix(": \($0.hasPrefix("audience_") ? "audience" : "owner")") } == [])
        #expect(protocolSteps.count > 50 && inner.count > 200)
    }

    /// A function keeps its rights when it is replaced, so what left the list has to be taken away.
    @Test func aRightThatIsNotInTheListIsTakenAway() async throws {
        let test = try await TestDatabase.make()
        try await test.database.script(
            "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA push TO push_enqueue; SELECT push.grant_roles()")
        #expect(
            try await test.texts(
                """
                SELECT p.proname::text FROM pg_proc p
                 WHERE p.pronamespace = 'push'::regnamespace AND p.proname IN ('purge', 'cancel', 'enqueue')
                   AND has_function_privilege('push_enqueue', p.oid, 'EXECUTE') GROUP BY 1
                """) == ["enqueue"])
    }

    @Test func everySchemaLetsInWhomItIsFor() async throws {
        let test = try await TestDatabase.make()
        let entered = try await test.texts(
            """
            SELECT n.nspname || ': ' || string_agg(replace(r.role, 'push_', ''), ' ' ORDER BY r.role)
              FROM pg_namespace n CROSS JOIN \(raw: Self.roles)
             WHERE n.nspname LIKE 'push%' AND has_schema_privilege(r.role, n.oid, 'USAGE') GROUP BY n.nspname ORDER BY 1
            """)
        #expect(
            entered == [
                "push: approve campaign console enqueue monitor operator register worker", "push_internal: audience",
                "push_worker: worker",
            ])
        #expect(
            try await test.texts(
                """
                SELECT n.nspname || ': ' || r.role FROM pg_namespace n CROSS JOIN \(raw: Self.roles)
                 WHERE n.nspname LIKE 'push%' AND has_schema_privilege(r.role, n.oid, 'CREATE')
                """) == [])
    }

    /// Partitions are reached through their table, and numbers through functions.
    @Test func partitionsAndSequencesBelongToTheOwner() async throws {
        let test = try await TestDatabase.make()
        #expect(
            try await test.texts(
                """
                SELECT c.relname || ': ' || replace(r.role, 'push_', '') FROM pg_class c CROSS JOIN \(raw: Self.roles)
                 WHERE c.relnamespace = 'push'::regnamespace AND c.relispartition AND c.relkind = 'r'
                   AND has_any_column_privilege(r.role, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
                """) == [])
        #expect(
            try await test.texts(
                """
                SELECT c.relname || ': ' || replace(r.role, 'push_', '') FROM pg_class c CROSS JOIN \(raw: Self.roles)
                 WHERE c.relnamespace = 'push'::regnamespace AND c.relkind = 'S' AND has_sequence_privilege(r.role, c.oid, 'USAGE, UPDATE')
                """) == [])
    }

    /// One security model for the worker: it calls functions and reaches nothing else. What everybody may read is no secret.
    @Test func theWorkerHasNoRightOnAnyTable() async throws {
        let test = try await TestDatabase.make()
        #expect(
            try await test.texts(
                """
                SELECT c.relname::text FROM pg_class c
                 WHERE c.relnamespace = 'push'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
                   AND c.relname <> 'payload_rule'
                   AND (has_any_column_privilege('push_worker', c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
                        OR has_table_privilege('push_worker', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER'))
                """) == [])
        // What it calls runs as the owner; what checks nothing is left to other functions.
        #expect(
            try await test.texts(
                """
                SELECT p.oid::regprocedure::text FROM pg_proc p
                 WHERE p.pronamespace IN ('push'::regnamespace, 'push_worker'::regnamespace)
                   AND NOT p.prosecdef AND p.provolatile <> 'i' AND p.proname <> 'iso'
                   AND has_function_privilege('push_worker', p.oid, 'EXECUTE')
                """) == [])
    }
}
