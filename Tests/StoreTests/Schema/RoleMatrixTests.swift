import Postgres
import Store
import TestSupport
import Testing

/// The rights of every role on every table, view, sequence and function. An object that is missing here fails the test: add
/// it with its roles, and if there are any, a line to `push.grant_roles`.
@Suite struct RoleMatrixTests {
    /// Tables and views. Roles that are not named have no rights; `owner`: only the owner has.
    static let relations = """
        answer: worker=select,insert
        audit: owner
        backlog: monitor=select operator=select
        claim: worker=select,insert,update,delete
        content: worker=select
        content_taken: owner
        dedupe: owner
        due: worker=select,insert,update(attempt),delete
        hub: worker=select,insert,update
        hub_health: monitor=select operator=select
        hub_state: worker=select,insert,update
        in_doubt: monitor=select operator=select
        lost: monitor=select operator=select
        message: enqueue=select(id+dedupe_key),insert(some) monitor=select(id) operator=select(id) worker=select
        message_status: monitor=select operator=select
        migration: monitor=select operator=select worker=select
        post: worker=select,insert
        recent_failures: monitor=select operator=select
        result: worker=select,insert,update(note)
        serving: worker=select,insert,update,delete
        snapshot_holders: monitor=select operator=select
        tally: worker=select,insert,update
        throughput: monitor=select operator=select
        translation: worker=select,insert,delete
        worker: worker=select,insert,update,delete
        workers: monitor=select operator=select
        """

    /// Functions by name, with all overloads. `enqueue monitor operator worker`: every role that may enter the schema, for
    /// functions that read no table.
    static let functions = [
        "owner": """
        again are_final check_filter end_rows enqueue_keys enqueued first_of grant_roles hub_of
        late_note never_changed open_ids post_of refuse refuse_hub refuse_keys refuse_names refuse_statement
        refuse_target repeated stop with_translations
        """,
        "enqueue": """
        enqueue enqueue_many wake_up
        """,
        "enqueue monitor operator worker": """
        bucket grown iso localisation_name reason_class refuse_content refuse_headers refuse_locale refuse_tag
        speed target_of wrong_apple wrong_args wrong_fcmv1 wrong_strings wrong_values wrong_windows
        """,
        "monitor operator": """
        eta holders_of_snapshots status_of
        """,
        "monitor operator worker": """
        due_at_of
        """,
        "operator": """
        add_hub cancel mend_partitions open_gate pause_hub purge rescue resolve resume_hub retry
        rotate_hub set_rate
        """,
        "operator worker": """
        make_partitions
        """,
        "worker": """
        back_v1 break_hub_v1 claim_v1 close_gate_v1 complete_v1 forget_keys gather_v1 heartbeat_v1 hold_hub_v1
        hub_states_v1 intent_v1 life_v1 mend_hub_v1 probe_v1 register_hub_v1 register_v1 release_hub_v1
        require_read_committed rescue_claims_v1 rescue_v1 return_tokens_v1 sleep_v1 slow_down_v1 take_probe_v1 take_tokens_v1 use_key_v1
        """,
    ]

    /// The roles of the schema.
    private static let roles = "(VALUES ('push_enqueue'), ('push_worker'), ('push_monitor'), ('push_operator')) r(role)"

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
        let wanted = Self.relations.split(separator: "\n").map(String.init)
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

    /// Partitions are reached through their table, so only the owner has rights on them, except for the check whether a DEFAULT
    /// partition is empty.
    @Test func partitionsAndSequencesBelongToTheOwner() async throws {
        let test = try await TestDatabase.make()
        let found = try await test.texts(
            """
            SELECT c.relname || ': ' || replace(r.role, 'push_', '') FROM pg_class c CROSS JOIN \(raw: Self.roles)
             WHERE c.relnamespace = 'push'::regnamespace AND c.relispartition AND c.relkind = 'r'
               AND has_any_column_privilege(r.role, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES') ORDER BY 1
            """)
        #expect(found.allSatisfy { $0.contains("_default: ") && !$0.hasSuffix("enqueue") }, "\(found)")
        #expect(
            try await test.texts(
                """
                SELECT c.relname || ': ' || replace(r.role, 'push_', '') FROM pg_class c CROSS JOIN \(raw: Self.roles)
                 WHERE c.relnamespace = 'push'::regnamespace AND c.relkind = 'S' AND has_sequence_privilege(r.role, c.oid, 'USAGE, UPDATE')
                """) == ["claim_id: worker"])
    }
}
