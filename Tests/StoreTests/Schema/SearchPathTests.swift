import Foundation
import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// An attacker with a login, temporary tables and a schema cannot make our functions run his code. Functions that run as
/// their owner find every function, operator, type and table by a path he cannot change.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SearchPathTests {
    /// A database whose schema `public` all roles may write to, as before PostgreSQL 15, and a backend that attacks.
    private static func make(_ role: String) async throws -> (StoreFixture, attacker: Database) {
        let store = try await StoreFixture.make()
        try await store.database.script("GRANT CREATE ON SCHEMA public TO PUBLIC")
        return (store, try await store.test.login(as: role).database)
    }

    /// Objects that a changed path would find first, with `pg_temp` at its front.
    private static let trap = """
        CREATE TABLE public.trapped (who name);
        GRANT ALL ON public.trapped TO PUBLIC;
        CREATE FUNCTION public.spring() RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
            IF current_user <> session_user THEN INSERT INTO public.trapped VALUES (current_user); END IF;
            RETURN true;
        END $$;
        -- Better matches than the system's own for what the functions call.
        CREATE FUNCTION public.format(text, text) RETURNS text LANGUAGE sql AS 'SELECT public.spring()::text';
        CREATE FUNCTION public.left(text, int) RETURNS text LANGUAGE sql AS 'SELECT public.spring()::text';
        CREATE FUNCTION public.octet_length(text) RETURNS int LANGUAGE sql AS 'SELECT public.spring()::int';
        CREATE FUNCTION public.lower(text) RETURNS text LANGUAGE sql AS 'SELECT public.spring()::text';
        CREATE FUNCTION public.now() RETURNS timestamptz LANGUAGE sql AS
            $$SELECT CASE WHEN public.spring() THEN '2001-01-01'::timestamptz END$$;
        CREATE FUNCTION public.unnest(text[]) RETURNS SETOF text LANGUAGE sql AS 'SELECT public.spring()::text';
        CREATE FUNCTION public.eq(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT public.spring()';
        CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = text, FUNCTION = public.eq);
        CREATE FUNCTION public.matches(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT public.spring()';
        CREATE OPERATOR public.~ (LEFTARG = text, RIGHTARG = text, FUNCTION = public.matches);
        CREATE FUNCTION public.glue(text, text) RETURNS text LANGUAGE sql AS 'SELECT public.spring()::text';
        CREATE OPERATOR public.|| (LEFTARG = text, RIGHTARG = text, FUNCTION = public.glue);
        CREATE TEMP TABLE hub (id int, name text);
        CREATE TEMP TABLE due (id bigint);
        CREATE TEMP TABLE message (id bigint, hub text);
        CREATE TEMP TABLE pg_class (oid oid, relname name);
        CREATE TEMP TABLE pg_roles (rolname name);
        CREATE TYPE pg_temp.status AS ENUM ('hijacked');
        SET search_path = pg_temp, public, pg_catalog, push;
        """

    /// The trap works on a function without a fixed path. Otherwise this suite would pass with any functions.
    @Test func aFunctionWithoutAFixedPathIsTrapped() async throws {
        let (store, attacker) = try await Self.make("push_enqueue")
        try await store.database.script(
            """
            CREATE FUNCTION push.careless(value text) RETURNS boolean LANGUAGE sql SECURITY DEFINER AS
                $$SELECT lower(value) = 'x'$$;
            GRANT EXECUTE ON FUNCTION push.careless TO push_enqueue;
            """)
        try await attacker.withConnection { connection in
            try await connection.script(Self.trap)
            try await connection.execute("SELECT push.careless('x')")
        }
        #expect(try await store.test.number("SELECT count(*) FROM public.trapped") > 0)
        await attacker.close()
    }

    @Test(arguments: ["push_enqueue", "push_register", "push_operator", "push_worker", "push_monitor"])
    func noneOfOurFunctionsIsTrapped(role: String) async throws {
        let (store, attacker) = try await Self.make(role)
        try await store.insert(3)
        // All functions this role may call, with arguments that lead far into them, and what an INSERT runs.
        let calls = try await store.database.query(
            """
            SELECT format('SELECT * FROM %s.%I(%s)', p.pronamespace::regnamespace, p.proname, (
                       SELECT string_agg(CASE t.typname
                                  WHEN 'text' THEN CASE WHEN n = 1 THEN quote_literal('news') ELSE quote_literal('x') END
                                  WHEN 'int2' THEN '1::smallint' WHEN 'int4' THEN '1' WHEN 'int8' THEN '1::bigint'
                                  WHEN 'float8' THEN '1::float8' WHEN 'bool' THEN 'true' WHEN 'json' THEN '''{}''::json'
                                  WHEN 'interval' THEN '''40 days''::interval' WHEN 'timestamptz' THEN 'pg_catalog.now()'
                                  ELSE format('NULL::%s', pg_catalog.format_type(a.type, NULL)) END, ', ' ORDER BY n)
                         FROM unnest(p.proargtypes) WITH ORDINALITY a(type, n) JOIN pg_type t ON t.oid = a.type))
              FROM pg_proc p
             WHERE p.pronamespace::regnamespace::text LIKE 'push%' AND p.prokind = 'f' AND p.prorettype <> 'trigger'::regtype
               AND has_schema_privilege(\(role), p.pronamespace, 'USAGE') AND has_function_privilege(\(role), p.oid, 'EXECUTE')
             ORDER BY p.proname
            """
        ) { rows in try rows.map { row in try row.string() } }
        #expect(calls.count > 2, "\(calls)")
        let inserts = [
            "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'World', '{\"a\": \"b\"}')",
            "INSERT INTO push.message (hub, tag, content) VALUES ('news', '(a || b) && !c', '{\"a\": \"b\"}')",
            "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a b', '{\"a\": 1}')",
            // Without the right, it is refused.
            #"""
            SELECT push.put_device('news', 'a', 'wns', 'h', tags => '{World,"$UserId:{17}"}', user_id => '17',
                                   templates => '{"n": {"body": "<toast/>", "tags": ["a"], "headers": {"a": "b"}}}')
            """#,
            #"""
            SELECT push.put_device('news', 'b', 'browser', '{"endpoint": "x", "p256dh": "y", "auth": "z"}',
                                   templates => '{"n": {"body": "{}", "expiry": "x"}}'::jsonb)
            """#,
            "SELECT push.put_device('news', 'c', 'gcm', 'h', tags => '{a b}')",
            "SELECT push.patch_device('news', 'a', add_tags => '{x}', remove_tags => '{y}', handle => 'h')",
            "SELECT push.patch_device('news', 'a', add_tags => '{x}', remove_tags => '{X}')",
            "SELECT push.drop_device('news', 'a')", "SELECT push.patch_device('news', 'a', user_id => '17')",
        ]
        try await attacker.withConnection { connection in
            try await connection.script(Self.trap)
            for sql in inserts + calls {
                // A refusal is fine: what matters is which functions ran on the way.
                do { try await connection.execute("\(raw: sql)") } catch let error as DatabaseError {
                    #expect(error.sqlState != nil, "\(sql): \(error)")
                }
            }
            // Views run with the rights of their owner.
            for view in ["message_status", "backlog", "hub_health", "lost", "device_status", "device_backlog"] {
                do { try await connection.execute("SELECT * FROM push.\(raw: view)") } catch let error as DatabaseError
                {
                    #expect(error.sqlState == "42501", "\(view): \(error)")
                }
            }
        }
        #expect(try await store.test.texts("SELECT DISTINCT who::text FROM public.trapped") == [])
        await attacker.close()
    }

    /// A view's own text is resolved when it is made; the functions in it run with the search path of the reader.
    /// `careless` is such a function, to show that the trap works.
    @Test func noOperatorOfABackendRunsWhenAPersonReadsAView() async throws {
        let (store, attacker) = try await Self.make("push_enqueue")
        try await store.database.script(
            """
            CREATE FUNCTION push.careless(handles text[], reason push.reason) RETURNS text LANGUAGE sql IMMUTABLE AS
                $$SELECT cardinality(handles) || ' handles' || CASE WHEN reason = 'expired' THEN 's' ELSE '' END$$
            """)
        let ids = try await store.insert(4)
        try await attacker.script(
            """
            CREATE TABLE public.trapped (who name);
            GRANT ALL ON public.trapped TO PUBLIC;
            CREATE FUNCTION public.spring() RETURNS boolean LANGUAGE plpgsql AS $$
            BEGIN
                IF current_user <> '\(store.test.name)_push_enqueue' THEN INSERT INTO public.trapped VALUES (current_user); END IF;
                RETURN true;
            END $$;
            CREATE FUNCTION public.number_text(integer, text) RETURNS text LANGUAGE sql AS 'SELECT public.spring()::text';
            CREATE FUNCTION public.text_number(text, integer) RETURNS text LANGUAGE sql AS 'SELECT public.spring()::text';
            CREATE FUNCTION public.long_text(bigint, text) RETURNS text LANGUAGE sql AS 'SELECT public.spring()::text';
            CREATE FUNCTION public.text_long(text, bigint) RETURNS text LANGUAGE sql AS 'SELECT public.spring()::text';
            CREATE OPERATOR public.|| (LEFTARG = integer, RIGHTARG = text, FUNCTION = public.number_text);
            CREATE OPERATOR public.|| (LEFTARG = text, RIGHTARG = integer, FUNCTION = public.text_number);
            CREATE OPERATOR public.|| (LEFTARG = bigint, RIGHTARG = text, FUNCTION = public.long_text);
            CREATE OPERATOR public.|| (LEFTARG = text, RIGHTARG = bigint, FUNCTION = public.text_long);
            CREATE FUNCTION public.same(push.reason, push.reason) RETURNS boolean LANGUAGE sql AS 'SELECT public.spring()';
            CREATE FUNCTION public.same(push.status, push.status) RETURNS boolean LANGUAGE sql AS 'SELECT public.spring()';
            CREATE OPERATOR public.= (LEFTARG = push.reason, RIGHTARG = push.reason, FUNCTION = public.same);
            CREATE OPERATOR public.= (LEFTARG = push.status, RIGHTARG = push.status, FUNCTION = public.same);
            INSERT INTO push.message (hub, handles, format, content) VALUES ('news', '{A1,A2}', 'apple', '{"aps":{"alert":"x"}}')
            """)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        _ = try await store.workers.rescue(store.queue.worker)
        try await store.database.execute(
            "INSERT INTO push.result (id, status, reason) SELECT id, 'rejected', 'bad_request' FROM push.message")

        #expect(try await store.test.texts("SHOW search_path") == ["\"$user\", public"])
        let views = try await store.test.texts(
            "SELECT relname::text FROM pg_class WHERE relnamespace::regnamespace::text LIKE 'push%' AND relkind = 'v'")
        #expect(views.count > 5)
        for view in views {
            try await store.database.query("SELECT to_json(v)::text FROM push.\(raw: view) v") { _ in }
        }
        for call in [
            "push.reason_class('expired')", "push.target_of(NULL, '{a,b}', false, NULL)", "push.iso(now())",
            "push_internal.late_note(1, '{1}')",
        ] {
            try await store.database.query("SELECT \(raw: call)") { _ in }
        }
        #expect(try await store.test.texts("SELECT who::text FROM public.trapped") == [])
        try await store.database.query("SELECT push.careless('{a,b}', 'expired')") { _ in }
        #expect(try await store.test.number("SELECT count(*) FROM public.trapped") > 0)
        await attacker.close()
    }

    /// Every function finds its functions, operators, types and tables by names that were resolved when it was made, or by
    /// a path that its caller cannot change. The path ends with `pg_temp`: left out, it would come first.
    @Test func everyFunctionHasAStandardBodyOrAFixedPath() async throws {
        let test = try await TestDatabase.make()
        #expect(
            try await test.texts(
                """
                SELECT p.oid::regprocedure::text FROM pg_proc p
                 WHERE p.pronamespace::regnamespace::text LIKE 'push%' AND p.prosqlbody IS NULL
                   AND p.prolang <> (SELECT l.oid FROM pg_language l WHERE l.lanname = 'internal')
                   AND NOT 'search_path=pg_catalog, pg_temp' = ANY (coalesce(p.proconfig, '{}')) ORDER BY 1
                """) == [])
        #expect(
            try await test.number(
                "SELECT count(*) FROM pg_proc WHERE pronamespace::regnamespace::text LIKE 'push%' AND prosecdef") > 20)
    }

    /// What every role in the server may call, even one that has no role of ours, computes a value from its arguments.
    @Test func onlyFunctionsThatReadNoTableArePublic() async throws {
        let test = try await TestDatabase.make()
        #expect(
            try await test.texts(
                """
                SELECT p.oid::regprocedure::text FROM pg_proc p
                 WHERE p.pronamespace::regnamespace::text LIKE 'push%' AND has_function_privilege('public', p.oid, 'EXECUTE')
                   AND (p.prosecdef OR p.provolatile <> 'i'
                        OR EXISTS (SELECT FROM pg_class c
                                    WHERE c.relnamespace::regnamespace::text LIKE 'push%' AND c.relkind IN ('r', 'p', 'v')
                                      AND p.prosrc ~ ('push\\.' || c.relname || '\\s*([^a-z0-9_(.]|$)'))
                        OR EXISTS (SELECT FROM pg_depend d
                                    WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_class'::regclass))
                 ORDER BY 1
                """) == [])
    }

    /// Functions that only other functions call check nothing: nobody else may call them.
    @Test func whatRunsWithTheCallersRightsIsCalledByNobody() async throws {
        let test = try await TestDatabase.make()
        #expect(
            try await test.texts(
                """
                SELECT p.oid::regprocedure || ': ' || r.role
                  FROM pg_proc p, unnest('{push_enqueue,push_register,push_worker,push_operator}'::text[]) r(role)
                 WHERE p.pronamespace::regnamespace::text LIKE 'push%' AND NOT p.prosecdef AND p.provolatile <> 'i'
                   AND p.proname NOT IN ('iso', 'is_alive', 'find_message', 'status_of', 'cancel_own', 'retry_own') AND has_function_privilege(r.role, p.oid, 'EXECUTE')
                 ORDER BY 1
                """) == [])
    }
}
