/// A view of an audience with a hostile owner: its code runs in the session of its reader.
public struct HostileView: Sendable {
    /// Of the view, in the schema `m`.
    public let name: String
    /// Statements of PL/pgSQL that run for each row.
    let body: String
    /// SQLSTATE that refuses it; nil: the rows are read, and what it did is gone.
    public var refused: String?

    /// What the owner of a view may try.
    public static let all: [HostileView] = [
        // At COMMIT these would run as the login of the session: the worker, an operator, a superuser.
        HostileView(name: "deferred_trigger", body: "INSERT INTO m.bait VALUES (1);", refused: "38002"),
        HostileView(
            name: "deferred_again", body: "SET CONSTRAINTS ALL DEFERRED; INSERT INTO m.bait VALUES (1);",
            refused: "38002"),
        HostileView(
            name: "cursor_with_hold",
            body: "EXECUTE format('DECLARE %I CURSOR WITH HOLD FOR SELECT m.evil()', gen_random_uuid());"),
        // The next statement of that name would run as the session's login.
        HostileView(
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
        HostileView(
            name: "invoker",
            body: "ALTER FUNCTION push_internal.audience_read(text, text, text) SECURITY INVOKER;", refused: "38002"),
        HostileView(
            name: "replaced",
            body: """
                CREATE OR REPLACE FUNCTION push_internal.audience_locks() RETURNS text[] LANGUAGE sql AS 'SELECT m.evil()::text[]';
                """, refused: "38002"),
        HostileView(
            name: "granted", body: "GRANT ALL ON FUNCTION push_internal.audience_read(text, text, text) TO PUBLIC;",
            refused: "38002"),
        HostileView(name: "role", body: "EXECUTE format('SET ROLE %I', session_user);", refused: "42501"),
        HostileView(name: "authorization", body: "RESET SESSION AUTHORIZATION;", refused: "42501"),
        HostileView(name: "writable", body: "SET transaction_read_only = off;", refused: "P0001"),
        // What the next campaign of the session would meet.
        HostileView(
            name: "isolation", body: "PERFORM set_config('default_transaction_isolation', 'serializable', false);"),
        HostileView(name: "timeout", body: "SET statement_timeout = 1;"),
        HostileView(name: "read_only", body: "SET default_transaction_read_only = on;"),
        HostileView(name: "path", body: "SET search_path = m;"),
        HostileView(name: "reset", body: "RESET ALL;"),
        HostileView(
            name: "advisory",
            body: """
                PERFORM pg_advisory_lock(7), pg_advisory_lock(-7), pg_advisory_lock(-1, -2), pg_advisory_lock(-1, -2),
                        pg_advisory_lock_shared(2147483647, -2147483648), pg_advisory_xact_lock(8);
                """),
        HostileView(name: "listen", body: "LISTEN m;"),
        HostileView(name: "temporary", body: "CREATE TEMP TABLE message (n int);", refused: "38002"),
        HostileView(name: "large_object", body: "PERFORM lo_create(0);"),
        HostileView(name: "sequence", body: "PERFORM nextval('m.s');", refused: "38002"),
        // What would look like an outage, a standby or a pooler of ours.
        HostileView(name: "says_stopped", body: "RAISE 'x' USING ERRCODE = '57P01';", refused: "38000"),
        HostileView(name: "says_busy", body: "RAISE 'x' USING ERRCODE = '40001';", refused: "38000"),
        HostileView(name: "says_full", body: "RAISE 'x' USING ERRCODE = '53100';", refused: "38000"),
        HostileView(name: "says_lost", body: "RAISE 'x' USING ERRCODE = '08006';", refused: "38000"),
        HostileView(name: "says_standby", body: "RAISE 'x' USING ERRCODE = '25006';", refused: "38002"),
        HostileView(name: "says_pooler", body: "RAISE 'x' USING ERRCODE = '26000';", refused: "P0001"),
        HostileView(name: "says_stale", body: "RAISE 'x' USING ERRCODE = '0A000';", refused: "P0001"),
        HostileView(name: "says_read", body: "RAISE 'x' USING ERRCODE = 'PU000';", refused: "P0001"),
        // Others' sessions and the server.
        HostileView(name: "terminate", body: "PERFORM pg_terminate_backend(pg_backend_pid());", refused: "42501"),
        HostileView(name: "program", body: "COPY m.s_copy TO PROGRAM 'true';", refused: "42501"),
        HostileView(name: "file", body: "PERFORM pg_read_file('PG_VERSION');", refused: "42501"),
    ]

    /// Makes all of them. Each has two recipients, and what it manages to run as somebody leaves that name in `m.log`.
    ///
    /// - Parameter owner: a role that this creates, without any right.
    public static func script(owner: String) -> String {
        """
        CREATE ROLE \(owner) LOGIN;
        CREATE SCHEMA m AUTHORIZATION \(owner);
        GRANT USAGE ON SCHEMA m TO PUBLIC;
        SET ROLE \(owner);
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
        \(all.map { view in
            """
            CREATE FUNCTION m.\(view.name)_f(n int) RETURNS text LANGUAGE plpgsql AS $a$ BEGIN
                \(view.body)
                RETURN 'user:' || n;
            END $a$;
            CREATE VIEW m.\(view.name) AS
                SELECT n AS key, m.\(view.name)_f(n) AS tag, 'UTC'::text AS time_zone FROM generate_series(1, 2) n;
            GRANT SELECT ON m.\(view.name) TO push_audience;
            """
        }.joined(separator: "\n"))
        RESET ROLE;
        """
    }
}
