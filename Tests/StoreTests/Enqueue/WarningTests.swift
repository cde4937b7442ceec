import Postgres
import PushModel
import Store
import Synchronization
import TestSupport
import Testing

/// What is taken with a warning, because it may be meant, and what the translations of one content may not say together.
@Suite(.serialized, .timeLimit(.minutes(10))) struct WarningTests {
    private final class Notices: Sendable {
        let all = Mutex<[String]>([])
    }

    /// The warnings of a statement; hints are left out.
    private func warnings(_ sql: String, on store: StoreFixture) async throws -> [String] {
        let notices = Notices()
        let session = Database(
            DatabaseSettings(
                url: store.test.conninfo, maximumConnections: 1,
                onNotice: { notice in notices.all.withLock { $0.append(notice.message) } }))
        try await session.script(sql)
        return notices.all.withLock { $0 }
    }

    @Test(arguments: [
        (
            #"(hub, tag, content) VALUES ('news', 'a', '{"m": "x"}'), ('news', 'b', ' { } '), ('news', 'c', '{}')"#,
            ["push.message: rows with a content without properties: 2, first row 2 (tag \"b\")"]
        ),
        (
            #"(hub, tag, content, send_at) VALUES ('news', 'a', '{"m": "x"}', now() - interval '2 years')"#,
            [
                "push.message: rows that end as expired, past expires_at or past send_at plus the hub's expire_after: 1, first row 1 (tag \"a\")"
            ]
        ),
        (
            #"(hub, broadcast, content, send_at, expires_at) VALUES ('news', true, '{"m": "x"}', now() - interval '2 min', now() - interval '1 min')"#,
            [
                "push.message: rows that end as expired, past expires_at or past send_at plus the hub's expire_after: 1, first row 1"
            ]
        ),
        (#"(hub, tag, content, send_at) VALUES ('news', 'a', '{"m": "x"}', now() - interval '2 h')"#, []),
        (#"(hub, tag, format, content) VALUES ('news', 'a', 'fcmv1', '{"message": {"data": {}}}')"#, []),
        (
            #"(hub, tag, format, content) VALUES ('news', 'a', 'apple', '{"aps": {"alert": "x"}, "mine": 1}'), ('news', 'b', 'apple', '{"aps": {"alert": "x", "mine": 1}}')"#,
            [
                "push.message: rows with a content whose aps.mine is unknown to Apple, which ignores it: 1, first row 2 (tag \"b\")"
            ]
        ),
        (
            #"(hub, tag, format, content) VALUES ('news', 'a', 'fcmv1', '{"message": {"apns": {"payload": {"aps": {"alert": {"text": "x"}}}}}}')"#,
            [
                "push.message: rows with a content whose message.apns.payload.aps.alert.text is unknown to Apple, which ignores it: 1, first row 1 (tag \"a\")"
            ]
        ),
        (
            #"(hub, tag, locale, content) VALUES ('news', 'a', 'en', '{"title": "x"}'), ('news', 'a', 'fr', '{"Title": "x", "titre": "y"}')"#,
            ["push.message: for tag \"a\" only the translation in \"fr\" has the property \"titre\""]
        ),
        (
            #"(hub, tag, locale, content) VALUES ('news', 'a', NULL, '{"title": "x", "url": "y"}'), ('news', 'a', 'fr', '{"title": "x"}')"#,
            []
        ),
    ]) func whatIsOddIsSaid(_ values: String, _ words: [String]) async throws {
        var hub = TestWorker.news
        hub.allowBroadcast = true
        let store = try await StoreFixture.make(hub)
        #expect(try await warnings("INSERT INTO push.message \(values)", on: store) == words)
        #expect(try await store.count("message") > 0)
        #expect(try await store.lost() == [])
    }

    private static func repeats(_ rows: Int, first: Int, _ tag: String = "a") -> [String] {
        ["push.message: rows with a content that has a property twice: \(rows), first row \(first) (tag \"\(tag)\")"]
    }

    /// It is looked for in the last three rows of a statement.
    @Test(arguments: [
        (#"(hub, tag, content) VALUES ('news', 'a', '{"a": "1", "a": "2"}')"#, repeats(1, first: 1)),
        (
            #"(hub, tag, content) VALUES ('news', 'a', '{"a":"1","b":"","c":"","d":"","e":"","a":""}')"#,
            repeats(1, first: 1)
        ),
        (#"(hub, tag, content) VALUES ('news', 'a', '{"a":"1","\u0061":"2"}')"#, repeats(1, first: 1)),
        (#"(hub, tag, content) VALUES ('news', 'a', '{"a" : "\u00e9", "b" : "x", "a" : ""}')"#, repeats(1, first: 1)),
        (#"(hub, tag, content) VALUES ('news', 'a', '{"a": "1", "a": "\ud83d\ude00"}')"#, repeats(1, first: 1)),
        (
            #"(hub, tag, content, dedupe_key) VALUES ('news', 'a', '{"a": "1", "a": "2"}', 'k')"#,
            repeats(1, first: 1)
        ),
        (
            #"(hub, tag, content) VALUES ('news', 'a', '{"a": "1", "a": "2"}'), ('news', 'b', '{"a": "1"}'), ('news', 'c', '{"a": "1", "a": "2"}')"#,
            repeats(2, first: 1)
        ),
        (
            #"(hub, tag, locale, content) VALUES ('news', 'a', 'en', '{"m": "x"}'), ('news', 'a', 'fr', '{"m": "x", "m": "y"}')"#,
            repeats(1, first: 2)
        ),
        (
            #"(hub, tag, content) SELECT 'news', 't' || g, ('{"a": "1"' || CASE g WHEN 1000 THEN ', "a": "2"}' ELSE '}' END)::json FROM generate_series(1, 1000) g"#,
            repeats(1, first: 1000, "t1000")
        ),
        (
            #"(hub, tag, content) SELECT 'news', 'a', '{"a": "1", "a": "2"}' FROM generate_series(1, 1000)"#,
            repeats(3, first: 998)
        ),
        (
            #"(hub, tag, content) SELECT 'news', 'a', ('{"a": "1"' || CASE g WHEN 1 THEN ', "a": "2"}' ELSE '}' END)::json FROM generate_series(1, 1000) g"#,
            []
        ),
        (#"(hub, tag, content) SELECT 'news', 'a', '{}' WHERE false"#, []),
        (#"(hub, tag, content) VALUES ('news', 'a', '{"Message": "a", "message": "b"}')"#, repeats(1, first: 1)),
    ]) func aPropertyThatStandsTwiceIsSaid(_ values: String, _ words: [String]) async throws {
        let store = try await StoreFixture.make()
        #expect(try await warnings("INSERT INTO push.message \(values)", on: store) == words)
        #expect(try await store.lost() == [])
    }

    @Test(arguments: [
        #"{"a":"x a x","b":"a"}"#, #"{"a": "\"a\":", "b": ", \"a\": "}"#, #"{"a" : "x",  "aa":"\u4e2d\u001f\u007f" }"#,
        "{\n\t\"a\": \"x\",\r\n  \"b\": \"y  z\"\n}\n", #"{"url":"https:\/\/example.com\/a","a":"\n\t\\ \u00e9"}"#,
        #"{"a": "\ud83d\ude00", "b": "\u0001"}"#, #"{"a": "中  A a", "b": "A"}"#,
    ]) func differentPropertiesAreTakenInSilence(content: String) async throws {
        let store = try await StoreFixture.make()
        let rows = (1...3).map { "('news', 'a\($0)', '\(content)')" }.joined(separator: ", ")
        #expect(try await warnings("INSERT INTO push.message (hub, tag, content) VALUES \(rows)", on: store) == [])
        #expect(try await store.count("due") == 3)
    }

    /// What a platform takes and shows to nobody.
    @Test(arguments: [
        ("apple", #"{"aps": {}}"#, "aps is empty, so the device shows nothing"),
        ("apple", #"{"aps": {"alert": "a"}, "aps": {"alert": "b"}}"#, "aps stands twice"),
        ("apple", #"{"aps": {"alert": "a", "badge": 1, "badge": 2}}"#, "aps.badge stands twice"),
        ("apple", #"{"aps": {"alert": {"title": "a", "title": "b"}}}"#, "aps.alert.title stands twice"),
        ("apple", #"{"aps": {"alert": "a"}, "mine": 1, "mine": 2}"#, "mine stands twice"),
        ("fcmv1", #"{"message": {}}"#, "message is empty, so the device shows nothing"),
        ("fcmv1", #"{"message": {"data": {"a": "b"}}, "message": {"data": {"a": "c"}}}"#, "message stands twice"),
        ("fcmv1", #"{"message": {"data": {"a": "b", "a": "c"}}}"#, "message.data.a stands twice"),
        (
            "fcmv1", #"{"message": {"apns": {"payload": {"aps": {}}}}}"#,
            "message.apns.payload.aps is empty, so the device shows nothing"
        ),
        ("apple", #"{"aps": {"alert": "a"}, "Mine": 1, "mine": 2}"#, nil),
        ("fcmv1", #"{"message": {"data": {"A": "b", "a": "c"}}}"#, nil),
    ]) func aPayloadThatShowsNothingIsSaid(format: String, content: String, says: String?) async throws {
        let store = try await StoreFixture.make()
        let found = try await warnings(
            "INSERT INTO push.message (hub, tag, format, content) VALUES ('news', 'a', '\(format)', '\(content)')",
            on: store)
        #expect(
            found == (says.map { ["push.message: rows with a content whose \($0): 1, first row 1 (tag \"a\")"] } ?? []))
    }

    @Test func functionsThatEnqueueWarnToo() async throws {
        let store = try await StoreFixture.make()
        let one = #"SELECT * FROM push.enqueue('news', 'a', '{"a": "1", "a": "2"}')"#
        #expect(try await warnings(one, on: store) == Self.repeats(1, first: 1))
        let many = #"SELECT * FROM push.enqueue_many('[{"hub": "news", "tag": "a", "content": {"a": "1", "a": "2"}}]')"#
        #expect(try await warnings(many, on: store) == Self.repeats(1, first: 1))
    }

    /// One request carries all languages, and says each property in each of them.
    @Test(arguments: [(10_000, true), (17_000, false)])
    func translationsFitOneRequestTogether(bytes: Int, fit: Bool) async throws {
        let store = try await StoreFixture.make()
        let sql: SQL = """
            INSERT INTO push.message (hub, tag, locale, content)
            SELECT 'news', 'a', l, json_build_object('m', repeat('x', \(Int32(bytes)))) FROM unnest('{en,fr,zh-Hans}'::text[]) l
            """
        if fit {
            try await store.database.execute(sql)
            return
        }
        let error = await #expect(throws: DatabaseError.self) { try await store.database.execute(sql) }
        #expect(error?.is(.checkViolation) == true)
        #expect(error?.message.contains("may have more than 65,536 bytes together") == true)
    }

    @Test func aNameThatNoTemplateTakesIsRefused() async throws {
        let store = try await StoreFixture.make()
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute(
                "INSERT INTO push.message (hub, tag, locale, content) VALUES ('news', 'a', 'en', json_build_object(repeat('x', 121), 5))"
            )
        }
        #expect(error?.message.contains("of 121 characters; a name has at most 120") == true)
    }

    @Test(arguments: [
        ("a && !a", "with a tag expression that no device can match: 1, first row 1 (tag \"a && !a\")"),
        ("a || !a", "with a tag expression that every device matches: 1, first row 1 (tag \"a || !a\")"),
        ("a && or", "with a tag named and, or or not: 1, first row 1 (tag \"a && or\")"),
        ("a && !b", nil), ("and", nil),
    ]) func anExpressionThatCannotBeMeantIsSaid(tag: String, words: String?) async throws {
        let store = try await StoreFixture.make()
        let sql = "INSERT INTO push.message (hub, tag, content) VALUES ('news', '\(tag)', '{\"m\": \"x\"}')"
        #expect(try await warnings(sql, on: store) == [words].compactMap(\.self).map { "push.message: rows \($0)" })
        #expect(try await store.lost() == [])
    }

    /// The hub takes them, and no phone shows what was meant.
    @Test(arguments: [
        (#"'gcm', 'token'"#, "push.put_device: Google ended the service behind gcm in 2024"),
        (
            #"'apns', '00', templates => '{"n": {"body": "{\"aps\": {\"alert\": \"Hello $(name)!\"}}"}}'"#,
            #"push.put_device: a template shows "Hello $(name)" as it is written"#
        ),
        (#"'apns', '00', templates => '{"n": {"body": "{\"aps\": {\"alert\": \"$(name)\"}}"}}'"#, nil),
        (#"'apns', '00', templates => '{"n": {"body": "{\"aps\": {\"alert\": \"{''Hello '' + $(name)}\"}}"}}'"#, nil),
    ]) func aDeviceThatShowsNothingIsSaid(call: String, words: String?) async throws {
        let store = try await StoreFixture.make()
        let said = try await warnings("SELECT push.put_device('news', 'd', \(call))", on: store)
        #expect(said == [words].compactMap(\.self))
        #expect(try await store.count("installation_due") == 1)
    }
}
