import Postgres
import Store
import TestSupport
import Testing

/// `push.enqueue` takes what drivers and psql send: a call that looks right is found.
@Suite(.serialized, .timeLimit(.minutes(2))) struct EnqueueTypesTests {
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
        let store = try await StoreFixture.make()
        #expect(try await store.test.texts("SELECT inserted::text FROM push.enqueue(\(raw: arguments))") == ["true"])
        #expect(try await store.test.texts("SELECT content::jsonb ->> 'm' FROM push.message") == ["x"])
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
