import Postgres
import TestSupport
import Testing

/// A backend may change some 150 settings of its session. None of them lets a bad row in or keeps a good one out.
@Suite(.serialized, .timeLimit(.minutes(30))) struct SettingsOfBackendTests {
    private static let good = [
        #"(hub, tag, content) VALUES ('news', 'a', '{"message": "hi"}')"#,
        #"(hub, tag, content) VALUES ('news', 'A || B && !(c)', '{ "a" : "b" , "c_1" : "d" }')"#,
        ##"(hub, tag, content) VALUES ('news', '$UserId:{x}', $q${"a": "quote \" comma , brace { : 12:30"}$q$)"##,
        "(hub, tag, content, expires_at) VALUES ('news', 'a', '{}', now() + interval '1 day')",
        "(hub, tag, locale, content) VALUES ('news', 'l', 'en', '{}'), ('news', 'l', 'fr', '{}')",
        "(hub, tag, content, dedupe_key) VALUES ('news', 'a', '{}', gen_random_uuid()::text)",
        "(hub, tag, locale, content, content_key) VALUES ('news', 'a', 'fr', '{}', gen_random_uuid()::text)",
        #"""
        (hub, tag, format, content, headers)
        VALUES ('news', 'a', 'apple', '{"aps": {"alert": {"loc-key": "K", "loc-args": ["1"]}}}', '{"apns-priority": "5"}')
        """#,
        #"(hub, handles, format, content) VALUES ('news', '{h}', 'fcmv1', '{"message": {"android": {"ttl": "1.5s"}}}')"#,
        "(hub, tag, format, content) VALUES ('news', 'a', 'windows', '\"<?xml version=''1.0''?><!-- c --><toast/>\"')",
    ]
    private static let bad = [
        #"(hub, tag, content) VALUES ('news', 'a', '{"a" : 5}')"#,
        #"(hub, tag, content) VALUES ('news', 'a', '{"a": "b", "c d": "e"}')"#,
        "(hub, tag, content) VALUES ('news', 'a | b', '{}')",
        "(hub, tag, content) VALUES ('news', 'a\tb', '{}')",
        "(hub, tag, locale, content) VALUES ('news', 'a', 'fr_CA', '{}')",
        "(hub, tag, locale, content) VALUES ('news', 'a', 'fr', '{}')",
        "(hub, tag, content, expires_at) VALUES ('news', 'a', '{}', 'infinity')",
        "(hub, tag, content, send_at) VALUES ('news', 'a', '{}', '1999-12-31')",
        #"(hub, tag, format, content) VALUES ('news', 'a', 'apple', '{"aps": {"badge": "3"}}')"#,
        #"(hub, tag, format, content) VALUES ('news', 'a', 'fcmv1', '{"message": {"android": {"ttl": "1x5s"}}}')"#,
        #"(hub, tag, format, content) VALUES ('news', 'a', 'windows', '"toast"')"#,
        ##"(hub, tag, format, content, headers) VALUES ('news', 'a', 'apple', '{"aps": {}}', $q${"apns-topic": "a\nb"}$q$)"##,
        "(hub, tag, content, traceparent) VALUES ('news', 'a', '{}', '00-1')",
        "(hub, tag, content) VALUES ('nws', 'a', '{}')",
        #"(hub, handles, format, content) VALUES ('news', '{"a b"}', 'fcmv1', '{"message": {}}')"#,
    ]
    private static let goodCalls = [
        ##"""
        put_device('news', 'phone', 'APNS', '00fc', tags => '{World,"$UserId:{17}"}', user_id => '17',
                   templates => $q${"n": {"body": "{\"aps\": {\"alert\": \"$(m)\"}}", "tags": ["a"]}}$q$)
        """##,
        "put_device('news', 'phone', 'wns', 'https://wns.example/1', templates => '{\"n\": {\"body\": \"<toast/>\"}}'::jsonb)",
        "patch_device('news', 'phone', add_tags => '{a}', remove_tags => '{b}', handle => 'xy')",
        "drop_device('news', 'phone')",
    ]
    private static let badCalls = [
        "put_device('news', 'phone', 'apns', '00fg')", "put_device('news', E'a\\tb', 'apns', '00')",
        "put_device('news', 'phone', 'apns', '00', tags => '{a b}')",
        "put_device('news', 'phone', 'apns', '00', user_id => 'a b')",
        "put_device('news', 'phone', 'wns', 'https://wns.example/1', templates => '{\"n\": {\"body\": \"<toast>\"}}')",
        ##"put_device('news', 'phone', 'apns', '00', templates => $q${"n": {"body": "{\"a\": \"\\ud83d\"}"}}$q$)"##,
        "patch_device('news', 'phone', add_tags => '{a}', remove_tags => '{A}')", "patch_device('news', 'phone')",
        "put_device('nws', 'phone', 'apns', '00')",
    ]
    /// Settings that say no themselves, and loudly, or that are no settings.
    private static let others = [
        "exit_on_error", "default_transaction_read_only", "transaction_read_only",
        "transaction_isolation",
        "transaction_deferrable", "client_min_messages",
    ]

    @Test func noSettingChangesWhatIsTaken() async throws {
        let store = try await StoreFixture.make()
        let values = try await store.test.texts(
            """
            SELECT format('%s = %L', s.name, v.value)
              FROM pg_settings s,
                   LATERAL (
                       SELECT unnest(CASE s.vartype
                           WHEN 'bool' THEN '{on,off}'
                           WHEN 'enum' THEN s.enumvals
                           WHEN 'string' THEN NULL
                           ELSE ARRAY[CASE WHEN s.name LIKE '%timeout' THEN '1h' ELSE s.min_val END,
                                      CASE WHEN s.name LIKE '%timeout' THEN '0' ELSE s.max_val END]
                       END) AS value) v
             WHERE s.context = 'user' AND s.name <> ALL (\(Self.others))
             UNION ALL
            SELECT unnest(ARRAY[
                'search_path = pg_temp, public', 'datestyle = ''SQL, DMY''', 'datestyle = ''German''',
                'datestyle = ''Postgres, MDY''', 'timezone = ''Pacific/Kiritimati''', 'timezone = ''America/New_York''',
                'timezone_abbreviations = ''Australia''', 'plpgsql.extra_errors = ''all''',
                'plpgsql.extra_warnings = ''all''', 'lc_numeric = ''C''', 'lc_time = ''C''', 'client_encoding = ''UTF8'''])
             ORDER BY 1
            """)
        #expect(values.count > 200)
        // Eight at a time, far apart in the alphabet; alone only where something is wrong, to name the one.
        let sessions = (values.count + 7) / 8
        for first in 0..<sessions {
            let some = stride(from: first, to: values.count, by: sessions).map { "SET \(values[$0])" }
            let wrong = try await faults(some.joined(separator: "; "), store.test)
            guard !wrong.isEmpty else { continue }
            for one in some { #expect(try await faults(one, store.test) == [], "\(one)") }
            Issue.record("\(some): \(wrong)")
        }
    }

    @Test(arguments: ["REPEATABLE READ", "SERIALIZABLE"])
    func noIsolationChangesWhatIsTaken(_ level: String) async throws {
        let store = try await StoreFixture.make()
        let setting = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL \(level)"
        #expect(try await faults(setting, store.test) == [])
    }

    /// What is taken or refused wrongly, in new sessions, so that every function is compiled under the setting.
    private func faults(_ setting: String, _ test: TestDatabase) async throws -> [String] {
        var wrong: [String] = []
        for (role, good, bad) in [
            (
                "push_enqueue", Self.good.map { "INSERT INTO push.message \($0)" },
                Self.bad.map { "INSERT INTO push.message \($0)" }
            ),
            ("push_register", Self.goodCalls.map { "SELECT push.\($0)" }, Self.badCalls.map { "SELECT push.\($0)" }),
        ] {
            let backend = try await test.login(as: role).database
            for (statements, isGood) in [(good, true), (bad, false)] {
                for statement in statements {
                    do {
                        try await backend.script("\(setting); BEGIN; \(statement); ROLLBACK")
                        if !isGood { wrong.append("taken: \(statement)") }
                    } catch {
                        if isGood || !["23514", "23503"].contains(error.sqlState) {
                            wrong.append("\(error): \(statement)")
                        }
                        try await backend.script("ROLLBACK")  // without a transaction it is only a warning
                    }
                }
            }
            await backend.close()
        }
        return wrong
    }
}
