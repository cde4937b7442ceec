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
        installation_due installation_result kept lock partitioned release schema_file cap_group capped_run reached
        ended_listener payload_format payload_name payload_rule post result retention drain run_content serving tally timeline translation
        worker
        """

    /// Views.
    static let views = """
        answers backlog device_backlog hub_health in_doubt lost lost_changes message_status recent_failures
        snapshot_holders throughput workers
        """

    /// Tables of campaigns, which their owners may read.
    static let campaignTables = "list slice slice_count stream suppression"

    /// Those that who approves campaigns may read, too.
    private static let approverTables = ["campaign", "campaign_revision", "run", "approval"].map {
        "\($0): approve=select campaign=select operator=select"
    }

    /// Views of campaigns.
    private static let campaignViews = ["approvals", "campaign_next", "campaigns", "run_hubs", "run_progress"].map {
        "\($0): approve=select campaign=select monitor=select operator=select"
    }

    /// What is said of each table and view; `owner`: no role has a right.
    static var relations: [String] {
        tables.split { $0 == " " || $0 == "\n" }.map { "\($0): owner" }
            + views.split { $0 == " " || $0 == "\n" }.map { "\($0): monitor=select operator=select" }
            + campaignTables.split { $0 == " " || $0 == "\n" }.map { "\($0): campaign=select operator=select" }
            + approverTables + campaignViews
            + ["list_member: campaign=select,insert operator=select,insert"]
            + ["pulse: monitor=select operator=select"]
            + ["audit: operator=select", "device_status: monitor=select operator=select register=select"]
            + [
                "message: enqueue=select(id+broadcast+format+send_at+priority+pack+created_at),insert(some) "
                    + "monitor=select(id) operator=select(id)"
            ]
    }

    /// Functions by name, with all overloads. `approve audience campaign enqueue monitor operator
    /// register worker`: every role that may enter the
    /// schema, for functions that read no table.
    static let functions = [
        "owner": """
        bypass_suppression begin_cap capped check_cap forget_reached make_cap_group make_reached pack_reached wrong_cap
        ahead_of_stream are_final arrive arrived_before back_v1 begin_action begin_run begin_waiting broken_rule bytes_of
        caller
        campaign_of cancel_batch cancel_claim cancel_held cancel_message cancel_pointer cancel_pointers
        canary_left candidates change_device check_filter close_partition close_slice contents_of_run
        count_results counts_of_run current_timeline delete_messages delete_posts drop_if_past drop_orphans
        end_keyed end_pointers end_rows end_run enqueue_keys enqueued erase_keys erase_texts estimate_audience
        fill_in fire first_of forget_devices give_audience_away grant_roles halt_again halt_claim halt_expanded halt_open
        halt_pointers halt_run hash_of_revision header hub_changed hub_of ids_of_run is_broken is_current is_past is_usual_content
        is_usual_time judge judge_run key_of_time last_change_before late_note late_notes left_hubs left_of_slice left_to_do life_v1
        load_payload_rules lock_doubts lowest_claim make_partition make_roles never_changed note_run note_standing note_trouble
        number_in_use oddity open_messages pace partitions pointers_of_slice post_of
        pulse_of_devices pulse_of_runs purge_next recipients
        refuse_erased refuse_hub refuse_spec refuse_state refuse_unapproved reopen_slices repeat_intent repeated repeated_by
        repeats_name report_hubs require_durable_commit require_newest require_read_committed require_timeline
        reschedule rescue_claim resolve_messages retry_messages revision_known row_name run_of schedule_of sees_all
        set_run_state settings_of_spec settle_late stale_approval standing_of standings_of stop_schedule stops_itself
        take_lock takes_devices tend_canary uncounted_slices unknown_hub unknown_member unreadable verdict_stays waits
        warn with_translations write_results wrong_audience wrong_canary wrong_content
        wrong_fold wrong_for_hub wrong_handle wrong_handles wrong_interval wrong_json wrong_length wrong_list
        wrong_locale wrong_member wrong_members wrong_message wrong_moment wrong_names wrong_number wrong_options wrong_patch
        wrong_placeholder wrong_property wrong_put wrong_recipient wrong_references wrong_schedule wrong_spec wrong_target wrong_template
        wrong_templates wrong_texts wrong_time wrong_translations wrong_with_canary wrong_zone wrong_zone_of_schedule
        check_local drop_outside instant_of is_in_window is_open leave_out local_progress parts_of_audience place_run
        rate_share recipients_of_zone release_streams rests wall_of_run window_opens wrong_local wrong_window wrong_zones
        zones_of_audience
        """,
        "worker": """
        begin_timeline_v1 claim_devices_v1 claim_v2 claims_of_others_v1 close_breaker_v1 close_devices_v1
        close_gate_v1 complete_devices_v1 complete_v1 count_held_v1 count_in_doubt_v1 count_left_v1
        device_backlog_v1 doubt_schedule_v1 due_device_hubs_v1 due_lanes_v1 due_schedules_v1 end_drain_v1 expand_v1 expire_unserved_v1 fire_v1 forget_keys
        gather_v1 give_up_v1 heartbeat_v1 hold_drain_v1 hold_hub_v1 hub_health_v1 hub_states_v2
        intent_v1 intents_v1 look_devices_v1 look_v1 next_due_v1 open_breaker_v1 open_runs_v1 register_hub_v1
        register_v1 release_hub_v1 remember_caps_v1 rescue_claims_v1 rescue_v1 return_devices_v1 return_tokens_v1 run_contents_v1
        running_streams_v1 sleep_v1 slow_down_v1 stop_stream_v1 take_probe_v1 take_pulse_v1 take_tokens_v1 tend_runs_v1
        throughput_v1 unserved_hubs_v1 use_key_v1 workers_v1
        """,
        "enqueue": """
        enqueue enqueue_many wake_up
        """,
        "audience": """
        audience_estimate audience_facts audience_has_zone audience_page_v1 audience_query audience_rest audience_view
        audience_zone_page_v1 audience_zone_sorts audience_zones
        """,
        "operator": """
        add_hub cancel cancel_campaign cancel_devices cancel_hub erase mend_partitions open_gate pause_hub purge
        remove_hub rescue resolve resolve_doubts resume_hub retry retry_failed rotate_hub set_rate
        """,
        "register": """
        drop_device patch_device put_device
        """,
        "operator worker": """
        make_partitions
        """,
        "monitor operator": """
        backlog_for_scaling claims_of_workers due_at_of eta find_changes find_message find_messages holder_of holders_of_snapshots
        is_alive mates_of
        """,
        "campaign operator": """
        backfill_campaign cancel_run check_campaign create_campaign drop_list make_list pause_run pause_schedule
        resolve_run resume_run resume_schedule retire_campaign retry_run run_campaign schedule_campaign set_run_rate
        start_run suppress suppress_many test_campaign unsuppress
        """,
        "monitor operator worker": """
        check filled_defaults incidents missing_partitions pulse_v1
        """,
        "enqueue monitor operator": """
        ended_since status_of
        """,
        "approve": """
        approve reject
        """,
        "approve campaign operator": """
        changes_of_revision
        """,
        "approve campaign monitor operator": """
        hubs_of_run progress_of_run revision_to_run revisions_of unapproved
        """,
        "approve campaign enqueue monitor operator register worker": """
        iso schema schema_files
        """,
        "approve audience campaign enqueue monitor operator register worker": """
        arrival_lock bucket canary_size changed_settings check_decision check_limit check_limits claim_of device_platform
        differing_keys
        first_post folded_name grown has_every_language is_asked is_erased is_language_of is_no_post
        is_plain_tag is_usual_handle is_usual_recipient is_usual_tags key_range_of key_tenant last_post leaves locales_of
        named_twice nearest no_post number_of_reached paused_until post_id read_schedule reason_class roles_of
        rows_of_keys seconds_between spec_problem speed target_of time_in_words unlisted values_of_cron_field wrong_approval wrong_cron
        wrong_cron_field wrong_device wrong_device_tags wrong_expression wrong_tag
        wrong_user wrong_xml
        days_of home_zone is_local tag_of_zone zone_of_schedule
        """,
    ]

    /// The roles of the schema.
    private static let roles = """
        (VALUES ('push_enqueue'), ('push_register'), ('push_campaign'), ('push_approve'), ('push_audience'), ('push_worker'), ('push_monitor'),
                ('push_operator')) r(role)
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
              FROM pg_proc p WHERE p.pronamespace = 'push'::regnamespace
               AND p.prolang <> (SELECT l.oid FROM pg_language l WHERE l.lanname = 'internal') ORDER BY 1
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
