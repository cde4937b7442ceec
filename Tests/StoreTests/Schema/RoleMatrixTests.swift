import Postgres
import Store
import TestSupport
import Testing

/// The rights of every role on every table, view, sequence and function. An object that is missing here fails the test: add
/// it with its roles, and if there are any, to `push.roles_of`.
@Suite struct RoleMatrixTests {
    /// Tables, of which only the owner has a right.
    static let tables = """
        answer claim content content_taken dedupe device due hub hub_state installation_change installation_claim
        installation_due installation_result kept lock migration partitioned
        ended_listener payload_format payload_name payload_rule post result retention run serving tally timeline translation
        worker
        """

    /// Views.
    static let views = """
        answers backlog device_backlog hub_health in_doubt lost lost_changes message_status recent_failures
        snapshot_holders throughput workers
        """

    /// What is said of each table and view; `owner`: no role has a right.
    static var relations: [String] {
        tables.split { $0 == " " || $0 == "\n" }.map { "\($0): owner" }
            + views.split { $0 == " " || $0 == "\n" }.map { "\($0): monitor=select operator=select" }
            + ["audit: operator=select", "device_status: monitor=select operator=select register=select"]
            + [
                "message: enqueue=select(id+broadcast+format+send_at+priority+pack+created_at),insert(some) "
                    + "monitor=select(id) operator=select(id)"
            ]
    }

    /// Functions by name, with all overloads. `enqueue monitor operator register worker`: every role that may enter the
    /// schema, for functions that read no table.
    static let functions = [
        "owner": """
        are_final arrive arrived_before back_v1 begin_action broken_rule bytes_of caller cancel_batch cancel_claim cancel_held cancel_message
        change_device forget_devices last_change_before takes_devices wrong_handle wrong_json wrong_member wrong_patch
        wrong_put wrong_template wrong_templates
        candidates cancel_pointer cancel_pointers check_filter close_partition count_results current_timeline
        delete_messages delete_posts drop_if_past drop_orphans end_keyed end_pointers end_rows enqueue_keys
        enqueued erase_keys erase_texts fill_in first_of grant_roles header hub_of is_broken is_current is_past
        is_usual_content is_usual_time late_note late_notes left_hubs left_to_do life_v1
        load_payload_rules lock_doubts lowest_claim make_partition make_roles never_changed note_trouble number_in_use oddity open_messages pace partitions post_of
        purge_next refuse_erased refuse_hub repeat_intent repeated repeated_by repeats_name report_hubs
        require_durable_commit require_read_committed require_timeline rescue_claim resolve_messages
        retry_messages row_name sees_all settle_late take_lock unknown_hub unreadable with_translations warn write_results wrong_content wrong_fold
        wrong_for_hub wrong_handles wrong_length wrong_list wrong_locale wrong_message wrong_names wrong_options
        wrong_property wrong_target wrong_time wrong_translations
        """,
        "enqueue": """
        enqueue enqueue_many wake_up
        """,
        "register": """
        drop_device patch_device put_device
        """,
        "enqueue monitor operator register worker": """
        device_platform is_usual_handle is_usual_tags named_twice wrong_device wrong_device_tags wrong_user wrong_xml
        arrival_lock bucket check_decision check_limit check_limits claim_of differing_keys first_post folded_name grown has_every_language is_asked
        is_erased is_language_of is_no_post is_plain_tag iso key_tenant last_post no_post post_id reason_class
        roles_of schema seconds_between speed target_of time_in_words unlisted wrong_expression wrong_tag
        """,
        "monitor operator": """
        claims_of_workers due_at_of eta find_changes find_message find_messages holder_of holders_of_snapshots is_alive
        mates_of
        """,
        "enqueue monitor operator": """
        ended_since status_of
        """,
        "monitor operator worker": """
        check filled_defaults incidents missing_partitions
        """,
        "operator": """
        add_hub cancel cancel_campaign cancel_devices cancel_hub erase mend_partitions open_gate pause_hub purge rescue resolve
        remove_hub resolve_doubts resume_hub retry retry_failed rotate_hub set_rate
        """,
        "operator worker": """
        make_partitions
        """,
        "worker": """
        begin_timeline_v1 claim_devices_v1 claim_v1 claims_of_others_v1 close_breaker_v1 close_devices_v1 close_gate_v1
        complete_devices_v1 complete_v1 count_held_v1 device_backlog_v1 due_device_hubs_v1 due_lanes_v1 look_devices_v1 return_devices_v1
        count_in_doubt_v1 count_left_v1 end_run_v1 expire_unserved_v1 forget_keys gather_v1 give_up_v1 heartbeat_v1 hold_hub_v1
        hold_run_v1 hub_health_v1 hub_states_v1 hub_states_v2 intent_v1 intents_v1 look_v1 next_due_v1 open_breaker_v1 register_hub_v1 register_v1
        release_hub_v1 rescue_claims_v1 rescue_v1 return_tokens_v1 sleep_v1 slow_down_v1 take_probe_v1
        take_tokens_v1 throughput_v1 unserved_hubs_v1 use_key_v1 workers_v1
        """,
    ]

    /// The roles of the schema.
    private static let roles = """
        (VALUES ('push_enqueue'), ('push_register'), ('push_worker'), ('push_monitor'), ('push_operator')) r(role)
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
        let found = try await test.texts(
            """
            SELECT DISTINCT p.proname || ': ' || coalesce((
                       SELECT string_agg(replace(r.role, 'push_', ''), ' ' ORDER BY r.role) FROM \(raw: Self.roles)
                        WHERE has_function_privilege(r.role, p.oid, 'EXECUTE')), 'owner')
              FROM pg_proc p WHERE p.pronamespace = 'push'::regnamespace ORDER BY 1
            """)
        let wanted = Self.functions.flatMap { roles, names in
            names.split { $0 == " " || $0 == "\n" }.map { "\($0): \(roles)" }
        }
        #expect(found.filter { !wanted.contains($0) } == [], "found and not decided")
        #expect(wanted.sorted().filter { !found.contains($0) } == [], "decided and not found")
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

    /// One security model for the worker: it calls functions and reaches nothing else.
    @Test func theWorkerHasNoRightOnAnyTable() async throws {
        let test = try await TestDatabase.make()
        #expect(
            try await test.texts(
                """
                SELECT c.relname::text FROM pg_class c
                 WHERE c.relnamespace = 'push'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
                   AND (has_any_column_privilege('push_worker', c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
                        OR has_table_privilege('push_worker', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER'))
                """) == [])
        // What it calls runs as the owner; what checks nothing is left to other functions.
        #expect(
            try await test.texts(
                """
                SELECT p.oid::regprocedure::text FROM pg_proc p
                 WHERE p.pronamespace = 'push'::regnamespace AND NOT p.prosecdef AND p.provolatile <> 'i' AND p.proname <> 'iso'
                   AND has_function_privilege('push_worker', p.oid, 'EXECUTE')
                """) == [])
    }
}
