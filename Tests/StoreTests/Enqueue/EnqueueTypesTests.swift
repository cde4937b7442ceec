import Foundation
import Postgres
import Store
import TestSupport
import Testing

/// `push.enqueue` takes what drivers and psql send: a call that looks right is found.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EnqueueTypesTests {
    @Test(arguments: [
        #"'news', 'a', '{"m": "x"}'"#, #"'news', 'a', '{"m": "x"}'::text"#, #"'news', 'a', '{"m": "x"}'::varchar"#,
        #"'news', 'a', '{"m": "x"}'::json"#, #"'news', 'a', '{"m": "x"}'::jsonb"#,
        #"'news'::varchar, 'a'::varchar, jsonb_build_object('m', 'x')"#,
        #"hub => 'news', tag => 'a', content => json_build_object('m', 'x')"#,
        #"'news', 'a', '{"m": "x"}', meta => '{"a": 1}'"#, #"'news', 'a', '{"m": "x"}'::jsonb, meta => '{"a": 1}'"#,
        #"'news', 'a', '{"m": "x"}'::json, meta => '{"a": 1}'::json, headers => '{"apns-priority": "5"}'"#,
        #"'news', 'a', translations => '{"en": {"m": "x"}}'::jsonb"#,
        #"'news', 'a', translations => '{"en": {"m": "x"}}'"#,
        #"'news', 'a', NULL, translations => '{"en": {"m": "x"}}'::json"#,
        #"'news', 'a', '{"m": "x"}', priority => 2"#, #"'news', 'a', '{"m": "x"}', priority => 2::smallint"#,
        #"'news', 'a', '{"m": "x"}', priority => 2::bigint"#, #"'news', 'a', '{"m": "x"}'::jsonb, priority => 2"#,
        #"'news', 'a', '{"m": "x"}', run => current_date"#, #"'news', 'a', '{"m": "x"}'::jsonb, run => 7"#,
        #"'news', 'a', '{"m": "x"}', run => gen_random_uuid()"#, #"'news', 'a', '{"m": "x"}', run => 'spring'"#,
        #"'news', 'a', '{"m": "x"}', run => 'spring'::varchar"#,
        #"'news', 'a', '{"m": "x"}', send_at => now() + interval '1 h', expires_at => current_date + 7"#,
        #"'news', 'a', '{"m": "x"}', send_at => localtimestamp, dedupe_key => 'k'"#,
        #"'news', 'a', '{"m": "x"}'::jsonb, send_at => '2030-01-01T12:00:00+02:00', run => current_date, dedupe_key => 'k'"#,
    ]) func theCallIsFound(_ arguments: String) async throws {
        try await StoreFixture.untouched.undone { connection in
            let inserted = try await connection.query("SELECT inserted FROM push.enqueue(\(raw: arguments))") { rows in
                try rows.map { row in try row.bool() }
            }
            let contents = try await connection.query("SELECT content::jsonb ->> 'm' FROM push.message") { rows in
                try rows.map { row in try row.string() }
            }
            #expect(inserted == [true] && contents == ["x"])
        }
    }

    /// As drivers prepare it: parameters without a type, and with the types of JSON.
    @Test(arguments: ["", "(text, text, text)", "(text, text, json)", "(text, text, jsonb)"])
    func aPreparedCallIsFound(_ types: String) async throws {
        let store = try await StoreFixture.make()
        try await store.database.withConnection { connection in
            try await connection.execute("PREPARE call\(raw: types) AS SELECT push.enqueue($1, $2, $3)")
            try await connection.execute(#"EXECUTE call('news', 'a', '{"m": "x"}')"#)
        }
        #expect(try await store.count("message") == 1)
    }

    @Test(arguments: ["", "::json", "::jsonb", "::text", "::varchar"])
    func aListIsFound(_ type: String) async throws {
        let store = try await StoreFixture.make()
        let list = #"'[{"hub": "news", "tag": "a", "content": {"m": "x"}}]'"#
        #expect(
            try await store.test.texts(
                "SELECT concat_ws(' ', n, inserted, send_at <= clock_timestamp()) FROM push.enqueue_many(\(raw: list + type))"
            ) == ["1 t t"])
        #expect(try await store.test.texts("SELECT content::jsonb ->> 'm' FROM push.message") == ["x"])
    }

    @Test(arguments: ["", "(text)", "(varchar)", "(json)", "(jsonb)"])
    func aPreparedListIsFound(_ types: String) async throws {
        let store = try await StoreFixture.make()
        try await store.database.withConnection { connection in
            try await connection.execute("PREPARE call\(raw: types) AS SELECT push.enqueue_many($1)")
            try await connection.execute(#"EXECUTE call('[{"hub": "news", "tag": "a", "content": {"m": "x"}}]')"#)
        }
        #expect(try await store.count("message") == 1)
    }

    /// PostgREST chooses by the names of the arguments, so only one function may have `messages`.
    @Test func oneListHasTheNameOfTheURL() async throws {
        let test = try await TestDatabase.make()
        #expect(
            try await test.texts(
                """
                SELECT p.proargnames[1] || ' ' || p.proargtypes[0]::regtype FROM pg_proc p
                 WHERE p.pronamespace = 'push'::regnamespace AND p.proname = 'enqueue_many' ORDER BY 1
                """) == ["list jsonb", "list text", "messages json"])
    }

    /// What no function takes, and how the table of docs/enqueue.md says to write it.
    @Test(arguments: [
        (#"'{"m": "x"}', dedupe_key => gen_random_uuid()"#, #"'{"m": "x"}', dedupe_key => gen_random_uuid()::text"#),
        (#"'{"m": "x"}', dedupe_key => 17"#, #"'{"m": "x"}', dedupe_key => 17::text"#),
        (#"'{"m": "x"}', content_key => 17"#, #"'{"m": "x"}', content_key => 17::text"#),
        (#"'{"m": "x"}', tenant => 17::bigint"#, #"'{"m": "x"}', tenant => 17::text"#),
        (#"'{"m": "x"}', campaign => current_date"#, #"'{"m": "x"}', campaign => current_date::text"#),
        (#"'{"m": "x"}'::jsonb, meta => '{}'::json"#, #"'{"m": "x"}'::jsonb, meta => '{}'::jsonb"#),
        (#"'{"m": "x"}'::json, meta => '{}'::jsonb"#, #"'{"m": "x"}'::jsonb, meta => '{}'::jsonb"#),
        ("priority => 2", #"priority => 2, translations => '{"en": {"m": "x"}}'"#),
    ]) func aCallThatIsNotFoundIsInTheDocuments(_ arguments: String, _ instead: String) async throws {
        let store = try await StoreFixture.make()
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT push.enqueue('news', 'a', \(raw: arguments))")
        }
        let state = try #require(error?.sqlState)
        let row = try Self.page.split(separator: "\n").first { $0.hasPrefix("| ") && $0.contains("`\(state)`") }
        #expect(row?.contains("`::text`") == true && row?.contains("`::jsonb`") == true, "\(state)")
        try await store.database.execute("SELECT push.enqueue('news', 'a', \(raw: instead))")
        #expect(try await store.count("message") == 1)
    }

    /// Each row of that table, as a login meets it that may only enqueue.
    @Test(arguments: [
        (#"INSERT INTO push.message (hub, tag, content, priority) VALUES ('news', 'a', '{}', 'high')"#, "22P02"),
        ("INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', 'hi')", "22P02"),
        (
            #"INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'a', '{}', 'tomorrow morning')"#,
            "22007"
        ),
        ("INSERT INTO push.message (tag, content) VALUES ('a', '{}')", "23502"),
        ("INSERT INTO push.message (hub, tag) VALUES ('news', 'a')", "23502"),
        ("INSERT INTO push.message (hub, tag, content) VALUES ('nws', 'a', '{}')", "23503"),
        ("INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{}') RETURNING *", "42501"),
        ("INSERT INTO push.message (hub, tag, content, created_at) VALUES ('news', 'a', '{}', now())", "42501"),
        ("UPDATE push.message SET tag = 'b'", "42501"), ("DELETE FROM push.message", "42501"),
        ("SELECT * FROM push.message", "42501"), ("SELECT tag FROM push.message", "42501"),
    ]) func whatALoginMeetsIsInTheDocuments(_ statement: String, _ state: String) async throws {
        let store = try await StoreFixture.make()
        let login = try await store.test.login(as: "push_enqueue")
        let error = await #expect(throws: DatabaseError.self) {
            try await login.database.execute("\(raw: statement)")
        }
        #expect(error?.sqlState == state, "\(error?.description ?? "")")
        #expect(try Self.page.split(separator: "\n").contains { $0.hasPrefix("| ") && $0.contains("`\(state)`") })
        await login.database.close()
    }

    private static var page: String {
        get throws {
            try String(
                contentsOf: URL(filePath: #filePath).appending(path: "../../../../docs/enqueue.md").standardized,
                encoding: .utf8)
        }
    }

    @Test func whatItTookIsWhatWasMeant() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            """
            SELECT push.enqueue('news', 'a', '{"m": "x"}'::jsonb, priority => 2, run => date '2026-11-23',
                                meta => '{"order": 7}', send_at => timestamptz '2030-01-01 12:00+02')
            """)
        #expect(
            try await store.test.texts(
                "SELECT concat_ws(' ', priority, run, meta::jsonb ->> 'order', send_at AT TIME ZONE 'UTC') FROM push.message"
            ) == ["2 2026-11-23 7 2030-01-01 10:00:00"])
    }

    @Test(arguments: [2_147_483_648, 70_000, -1])
    func aPriorityThatIsNoneIsRefused(_ priority: Int) async throws {
        let store = try await StoreFixture.make()
        let error = try #require(
            await #expect(throws: DatabaseError.self) {
                try await store.database.execute(
                    "SELECT push.enqueue('news', 'a', '{}', priority => \(Int64(priority)))")
            })
        #expect(error.description.contains("push.message.priority \(priority) is not 0, 1 or 2"), "\(error)")
    }
}
