import Foundation
import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// An attacker with a login, temporary tables and a schema cannot make our functions run his code. Functions that run as
/// their owner find every function, operator, type and table by a path he cannot change.
@Suite(.serialized, .timeLimit(.minutes(3))) struct SearchPathTests {
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
        CREATE TEMP TABLE hub (id smallint, name text);
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

    @Test(arguments: ["push_enqueue", "push_operator", "push_worker", "push_monitor"])
    func noneOfOurFunctionsIsTrapped(role: String) async throws {
        let (store, attacker) = try await Self.make(role)
        try await store.insert(3)
        // All functions this role may call, with arguments that lead far into them, and what an INSERT runs.
        let calls = try await store.database.query(
            """
            SELECT format('SELECT * FROM push.%I(%s)', p.proname, (
                       SELECT string_agg(CASE t.typname
                                  WHEN 'text' THEN CASE WHEN n = 1 THEN quote_literal('news') ELSE quote_literal('x') END
                                  WHEN 'int2' THEN '1::smallint' WHEN 'int4' THEN '1' WHEN 'int8' THEN '1::bigint'
                                  WHEN 'float8' THEN '1::float8' WHEN 'bool' THEN 'true' WHEN 'json' THEN '''{}''::json'
                                  WHEN 'interval' THEN '''40 days''::interval' WHEN 'timestamptz' THEN 'pg_catalog.now()'
                                  ELSE format('NULL::%s', pg_catalog.format_type(a.type, NULL)) END, ', ' ORDER BY n)
                         FROM unnest(p.proargtypes) WITH ORDINALITY a(type, n) JOIN pg_type t ON t.oid = a.type))
              FROM pg_proc p
             WHERE p.pronamespace = 'push'::regnamespace AND p.prokind = 'f' AND p.prorettype <> 'trigger'::regtype
               AND has_function_privilege(\(role), p.oid, 'EXECUTE')
             ORDER BY p.proname
            """
        ) { rows in try rows.map { row in try row.string(0) } }
        #expect(calls.count > 2, "\(calls)")
        let inserts = [
            "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'World', '{\"a\": \"b\"}')",
            "INSERT INTO push.message (hub, tag, content) VALUES ('news', '(a || b) && !c', '{\"a\": \"b\"}')",
            "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a b', '{\"a\": 1}')",
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
            for view in ["message_status", "backlog", "hub_health", "lost"] {
                do { try await connection.execute("SELECT * FROM push.\(raw: view)") } catch let error as DatabaseError
                {
                    #expect(error.sqlState == "42501", "\(view): \(error)")
                }
            }
        }
        #expect(try await store.test.texts("SELECT DISTINCT who::text FROM public.trapped") == [])
        await attacker.close()
    }

    /// The path ends with `pg_temp`. If it were left out, it would come first, and temporary tables would hide ours.
    @Test func definerFunctionsHaveAFixedPathAndAreNotPublic() async throws {
        let test = try await TestDatabase.make()
        #expect(
            try await test.texts(
                """
                SELECT p.oid::regprocedure || CASE WHEN p.prosecdef THEN '' ELSE ' (volatile)' END FROM pg_proc p
                 WHERE p.pronamespace = 'push'::regnamespace AND (p.prosecdef OR p.provolatile = 'v')
                   AND NOT EXISTS (SELECT FROM unnest(p.proconfig) c
                                    WHERE c ~ '^search_path=' AND c ~ ', ?pg_temp$' AND c !~ '"?\\$user"?|public') ORDER BY 1
                """) == [])
        #expect(
            try await test.texts(
                """
                SELECT p.oid::regprocedure::text FROM pg_proc p
                 WHERE p.pronamespace = 'push'::regnamespace AND p.prosecdef
                   AND EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
                                WHERE a.grantee = 0 AND a.privilege_type = 'EXECUTE') ORDER BY 1
                """) == [])
        #expect(
            try await test.number(
                "SELECT count(*) FROM pg_proc WHERE pronamespace = 'push'::regnamespace AND prosecdef") > 20)
    }

    /// Functions that every role may call read no table.
    @Test func noActingFunctionIsPublic() async throws {
        let test = try await TestDatabase.make()
        #expect(
            try await test.texts(
                """
                SELECT p.oid::regprocedure::text FROM pg_proc p
                 WHERE p.pronamespace = 'push'::regnamespace AND has_function_privilege('public', p.oid, 'EXECUTE')
                   AND (p.prosecdef OR p.provolatile = 'v' OR p.proname !~ '^(reason_class$|iso$)') AND p.provolatile <> 'i'
                 ORDER BY 1
                """) == [])
    }

    /// SECURITY DEFINER with the caller's path would run the caller's functions as the owner.
    @Test func everyFunctionHasAFixedSearchPath() async throws {
        let test = try await TestDatabase.make()
        #expect(
            try await test.texts(
                """
                SELECT p.oid::regprocedure::text FROM pg_proc p
                 WHERE p.pronamespace = 'push'::regnamespace AND (p.prosecdef OR p.provolatile = 'v')
                   AND NOT 'search_path=pg_catalog, pg_temp' = ANY (coalesce(p.proconfig, '{}')) ORDER BY 1
                """) == [])
    }
}
