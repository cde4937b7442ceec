import Postgres
import Store
import TestSupport
import Testing

/// A view of an audience runs code of its owner in the session of whoever reads it. Nothing of it outlives the read.
@Suite(.timeLimit(.minutes(10))) struct HostileViewTests {
    /// What the owner of a view may try, and who would gain by it.
    struct Attack: Sendable, CustomTestStringConvertible {
        /// Also the name of the view.
        let name: String
        /// Statements of PL/pgSQL that run for each row.
        let body: String
        /// SQLSTATE that refuses it; nil: the rows are read, and what it did is gone.
        var refused: String?

        var testDescription: String { name }
    }

    private static let attacks: [Attack] = [
        // At COMMIT these would run as the login of the session: the worker, an operator, a superuser.
        Attack(name: "deferred_trigger", body: "INSERT INTO m.bait VALUES (1);", refused: "38002"),
        Attack(
            name: "deferred_again", body: "SET CONSTRAINTS ALL DEFERRED; INSERT INTO m.bait VALUES (1);",
            refused: "38002"),
        Attack(
            name: "cursor_with_hold",
            body: "EXECUTE format('DECLARE %I CURSOR WITH HOLD FOR SELECT m.evil()', gen_random_uuid());"),
        // The next statement of that name would run as the session's login.
        Attack(
            name: "prepared",
            body: """
                DECLARE statement text;
                BEGIN
                    FOR statement IN SELECT p.name FROM pg_prepared_statements p LOOP
                        EXECUTE format('DEALLOCATE %I', statement);
                        EXECUTE format('PREPARE %I AS SELECT m.evil()', statement);
                    END LOOP;
                    EXECUTE format('PREPARE %I AS SELECT m.evil()', gen_random_uuid());
                END;
                """),
        // push_audience owns the functions that read: as the caller's, the next view would run as the owner of the schema.
        Attack(
            name: "invoker",
            body: "ALTER FUNCTION push_internal.audience_read(text, text, text) SECURITY INVOKER;", refused: "38002"),
        Attack(
            name: "replaced",
            body: """
                CREATE OR REPLACE FUNCTION push_internal.audience_locks() RETURNS text[] LANGUAGE sql AS 'SELECT m.evil()::text[]';
                """, refused: "38002"),
        Attack(
            name: "granted", body: "GRANT ALL ON FUNCTION push_internal.audience_read(text, text, text) TO PUBLIC;",
            refused: "38002"),
        Attack(name: "role", body: "EXECUTE format('SET ROLE %I', session_user);", refused: "42501"),
        Attack(name: "authorization", body: "RESET SESSION AUTHORIZATION;", refused: "42501"),
        Attack(name: "writable", body: "SET transaction_read_only = off;", refused: "P0001"),
        // What the next campaign of the session would meet.
        Attack(
            name: "isolation", body: "PERFORM set_config('default_transaction_isolation', 'serializable', false);"),
        Attack(name: "timeout", body: "SET statement_timeout = 1;"),
        Attack(name: "read_only", body: "SET default_transaction_read_only = on;"),
        Attack(name: "path", body: "SET search_path = m;"),
        Attack(name: "reset", body: "RESET ALL;"),
        Attack(
            name: "advisory",
            body: """
                PERFORM pg_advisory_lock(7), pg_advisory_lock(-7), pg_advisory_lock(-1, -2), pg_advisory_lock(-1, -2),
                        pg_advisory_lock_shared(2147483647, -2147483648), pg_advisory_xact_lock(8);
                """),
        Attack(name: "listen", body: "LISTEN m;"),
        Attack(name: "temporary", body: "CREATE TEMP TABLE message (n int);", refused: "38002"),
        Attack(name: "large_object", body: "PERFORM lo_create(0);"),
        Attack(name: "sequence", body: "PERFORM nextval('m.s');", refused: "38002"),
        // What would look like an outage, a standby or a pooler of ours.
        Attack(name: "says_stopped", body: "RAISE 'x' USING ERRCODE = '57P01';", refused: "38000"),
        Attack(name: "says_busy", body: "RAISE 'x' USING ERRCODE = '40001';", refused: "38000"),
        Attack(name: "says_full", body: "RAISE 'x' USING ERRCODE = '53100';", refused: "38000"),
        Attack(name: "says_lost", body: "RAISE 'x' USING ERRCODE = '08006';", refused: "38000"),
        Attack(name: "says_standby", body: "RAISE 'x' USING ERRCODE = '25006';", refused: "38002"),
        Attack(name: "says_pooler", body: "RAISE 'x' USING ERRCODE = '26000';", refused: "P0001"),
        Attack(name: "says_stale", body: "RAISE 'x' USING ERRCODE = '0A000';", refused: "P0001"),
        Attack(name: "says_read", body: "RAISE 'x' USING ERRCODE = 'PU000';", refused: "P0001"),
        // Others' sessions and the server.
        Attack(name: "terminate", body: "PERFORM pg_terminate_backend(pg_backend_pid());", refused: "42501"),
        Attack(name: "program", body: "COPY m.s_copy TO PROGRAM 'true';", refused: "42501"),
        Attack(name: "file", body: "PERFORM pg_read_file('PG_VERSION');", refused: "42501"),
    ]

    private static let shared = Task { try await make() }

    private static func make() async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        let marketer = "\(test.name)_marketer"
        try await test.database.script(
            """
            CREATE ROLE \(marketer) LOGIN;
            CREATE SCHEMA m AUTHORIZATION \(marketer);
            GRANT USAGE ON SCHEMA m TO PUBLIC;
            SET ROLE \(marketer);
            CREATE TABLE m.log (who text);
            CREATE TABLE m.bait (n int);
            CREATE TABLE m.s_copy (n int);
            CREATE SEQUENCE m.s;
            GRANT ALL ON ALL TABLES IN SCHEMA m TO PUBLIC;
            GRANT ALL ON m.s TO PUBLIC;
            CREATE FUNCTION m.evil() RETURNS text LANGUAGE sql AS $$ INSERT INTO m.log VALUES (current_user) RETURNING who $$;
            CREATE FUNCTION m.late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM m.evil(); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER late AFTER INSERT ON m.bait DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION m.late();
            \(attacks.map { attack in
                """
                CREATE FUNCTION m.\(attack.name)_f(n int) RETURNS text LANGUAGE plpgsql AS $a$ BEGIN
                    \(attack.body)
                    RETURN 'user:' || n;
                END $a$;
                CREATE VIEW m.\(attack.name) AS
                    SELECT n AS key, m.\(attack.name)_f(n) AS tag, 'UTC'::text AS time_zone FROM generate_series(1, 2) n;
                GRANT SELECT ON m.\(attack.name) TO push_audience;
                """
            }.joined(separator: "\n"))
            RESET ROLE;
            """)
        return test
    }

    /// What a session has that another statement of it would meet.
    private static let traces: SQL = """
        SELECT concat_ws(E'\n',
            (SELECT string_agg(format('ran as %s', l.who), E'\n') FROM m.log l),
            (SELECT string_agg(format('prepared %s: %s', p.name, p.statement), E'\n') FROM pg_prepared_statements p
              WHERE p.from_sql),
            (SELECT string_agg(format('cursor %s', c.name), E'\n') FROM pg_cursors c WHERE c.is_holdable),
            (SELECT string_agg(format('listens to %s', c.name), E'\n') FROM pg_listening_channels() c(name)),
            (SELECT string_agg(format('lock %s', l), E'\n') FROM pg_locks l
              WHERE l.locktype = 'advisory' AND l.pid = pg_backend_pid()),
            (SELECT string_agg(format('table %s', c.relname), E'\n') FROM pg_class c
              WHERE c.relnamespace = pg_my_temp_schema()),
            (SELECT string_agg(format('large object %s', o.oid), E'\n') FROM pg_largeobject_metadata o),
            (SELECT string_agg(format('changed %s', p.oid::regprocedure), E'\n') FROM pg_proc p
              WHERE p.pronamespace = 'push_internal'::regnamespace AND p.proname = 'audience_read'
                AND (NOT p.prosecdef OR p.proacl::text ~ '[{,]=')),
            (SELECT string_agg(format('%s = %s', s.name, s.setting), E'\n' ORDER BY s.name) FROM pg_settings s
              WHERE s.source = 'session'))
        """

    private static func traces(_ session: Database) async throws -> String {
        try await session.query(traces) { rows in try rows.single { row in try row.string() } }
    }

    /// Those who read views, each in its own way: the login that an attack would take over.
    enum Reader: String, CaseIterable, Sendable {
        case worker = "push_worker"
        case owner = "push_campaign"
        case superuser

        /// A transaction each.
        func statements(of view: String, campaign: String, stream: Int64) -> [SQL] {
            switch self {
            case .worker:
                [
                    "SELECT rows::text FROM push_worker.expand_v1(\(stream), 10)",
                    "SELECT push_worker.count_audience_v1(\(stream), 10)::text",
                ]
            case .owner:
                [
                    "SELECT count(*)::text FROM push.check_campaign(\(campaign))",
                    "SELECT push.start_run(\(campaign), gen_random_uuid()::text)::text",
                ]
            case .superuser:
                [
                    "SELECT count(*)::text FROM push.check_campaign(\(campaign))",
                    "SELECT count(*)::text FROM push_internal.audience_zones(\(view), 10)",
                    "SELECT push_internal.audience_rest(\(view), false, NULL, NULL)::text",
                    "SELECT cardinality(push_internal.audience_page(\(view), true, 'UTC', NULL, 10))::text",
                    "SELECT (push_internal.audience_recipient(\(view), '1')).key::text",
                ]
            }
        }
    }

    @Test(arguments: attacks, Reader.allCases)
    func nothingThatAViewDoesOutlivesItsReading(attack: Attack, reader: Reader) async throws {
        let test = try await Self.shared.value
        let run = "\(attack.name)-\(reader.rawValue)"
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create(
            run, spec: #"{"hubs": ["news"], "audience": {"view": "m.\#(attack.name)"}, "content": {"": {"a": "b"}}}"#,
            draft: false)
        _ = try await campaigns.start(run, key: "k")
        let stream = try await test.number(
            "SELECT t.id FROM push.stream t JOIN push.run r ON r.id = t.run JOIN push.campaign c ON c.id = r.campaign WHERE c.name = \(run)"
        )
        let login = reader == .superuser ? test : try await test.login(as: reader.rawValue)
        let session = login.another(maximumConnections: 1)
        let before = try await Self.traces(session)
        var refusals: Set<String> = []
        // Twice: what a statement leaves prepared, the next of its text would meet.
        for _ in 1...2 {
            for statement in reader.statements(of: "m.\(attack.name)", campaign: run, stream: stream) {
                do throws(DatabaseError) {
                    _ = try await session.query(statement) { rows in try rows.map { row in try row.stringOrNil() } }
                } catch {
                    refusals.insert(error.sqlState ?? "none")
                }
                #expect(try await Self.traces(session) == before, "\(statement.text)")
            }
        }
        #expect(refusals == Set([attack.refused].compactMap(\.self)), "\(reader)")
        await session.close()
    }
}
