import Postgres
import PushModel
import Store
import Synchronization
import TestSupport
import Testing

/// What is taken with a warning, because it may be meant, and what the translations of one content may not say together.
@Suite(.serialized, .timeLimit(.minutes(2))) struct WarningTests {
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
        (#"(hub, tag, format, content) VALUES ('news', 'a', 'fcmv1', '{"message": {}}')"#, []),
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
}
