import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// Rows of one statement that differ by locale are one content: one pointer, claimed together.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TranslationTests {
    @Test func theyFoldUnderOneLead() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.translate(["en", "fr", "zh-Hans"])
        // send_at defaults to clock_timestamp(), so it differs by microseconds; the rows belong together all the same.
        #expect(try await store.test.number("SELECT count(DISTINCT send_at) FROM push.message") > 1)
        #expect(try await store.test.texts("SELECT id || ' ' || (kind = 't') FROM push.due") == ["\(ids[0]) true"])
        let claim = try #require(try await store.claim(1))
        #expect(claim.messages.map(\.id).sorted() == ids)
        #expect(Set(claim.messages.map(\.lead)) == [ids[0]])
    }

    @Test func contentsForSeveralTagsInOneStatementStayApart() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, content)
            SELECT 'news', 'tag' || t, l, '{}' FROM generate_series(1, 50) t, unnest('{zh-Hans,fr,NULL}'::text[]) l
            """)
        #expect(try await store.count("due") == 50)
        let claim = try #require(try await store.claim(10))
        #expect(claim.messages.count == 30)
        for content in Dictionary(grouping: claim.messages, by: \.lead).values {
            #expect(Set(content.map(\.target)).count == 1)
            #expect(Set(content.map(\.locale)) == ["zh-Hans", "fr", nil])
        }
    }

    @Test func broadcastsFoldToo() async throws {
        var hub = TestWorker.news
        hub.allowBroadcast = true
        let store = try await StoreFixture.make(hub)
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, broadcast, locale, content)
            VALUES ('news', true, 'en', '{}'), ('news', true, 'fr', '{}')
            """)
        #expect(try await store.count("due") == 1)
        #expect(try await store.claim()?.messages.map(\.target) == [.broadcast, .broadcast])
    }

    @Test(
        arguments: [
            "send_at = now() + g * interval '1 hour'", "priority = g", "campaign = 'c' || g", "pack = g = 1",
            "on_doubt = CASE g WHEN 1 THEN 'hold' END",
            "expires_at = now() + g * interval '1 day'", #"headers = CASE g WHEN 1 THEN '{"apns-a": "b"}'::json END"#,
            "tenant = 't' || g",
        ]) func rowsWithOtherSendOptionsAreContentsOfTheirOwn(_ option: String) async throws
    {
        let store = try await StoreFixture.make()
        let parts = option.split(separator: " = ", maxSplits: 1)
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, content, \(raw: String(parts[0])))
            SELECT 'news', 'World', 'en', '{}', \(raw: String(parts[1])) FROM generate_series(1, 2) g
            """)
        #expect(try await store.count("due") == 2)
        #expect(try await store.count("translation") == 0)
    }

    @Test func aScheduledContentHasOnePointerAtItsTime() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, content, send_at)
            VALUES ('news', 'World', 'en', '{}', '2199-01-01'), ('news', 'World', 'fr', '{}', '2199-01-01')
            """)
        #expect(try await store.count("due") == 1)
        #expect(try await store.claim() == nil)
        #expect(
            try await store.test.texts("SELECT status::text FROM push.message_status ORDER BY id") == [
                "scheduled", "scheduled",
            ])
    }

    @Test func aHubLocalisedByTagsPostsEveryLocaleOnItsOwn() async throws {
        var hub = TestWorker.news
        hub.localization = .tags
        let store = try await StoreFixture.make(hub)
        _ = try await store.translate(["en", "fr", "de", "fr"])
        #expect(try await store.count("due") == 4)
        #expect(try await store.count("translation") == 0)
    }

    @Test(
        arguments: [
            (["en", "en"], "twice"), (["en", "EN"], "twice"), (["en", nil, nil], "twice"),
            (["fr"], "fallback language \"en\""),
            (["fr", "zh-Hans"], "fallback"), (["en", "de"], "de"), (["en", "e"], "BCP 47"),
            (["en", "fr_CA"], "BCP 47"),
            (["en", ""], "BCP 47"), (["en", "fr-"], "BCP 47"), (["en", "12"], "BCP 47"),
            (["en", "français"], "BCP 47"), (["en", "en-12"], "BCP 47"), (["en", "fr-US-GB"], "BCP 47"),
            (["en", "zh-Hans-Hant"], "BCP 47"), (["en", "en-a1"], "BCP 47"), (["en", "fr-x-"], "BCP 47"),
            (["en", "fr-u-\(String(repeating: "abcdefgh-", count: 11))x"], "has 105 bytes, 100 are allowed"),
            (["en", "en-GB"], #"row 1 (locale "en") and row 2 (locale "en-GB") for tag "World" are both for"#),
            (["en-US", "en-GB"], "both for the language"), (["fr-CA", "en", "fr-FR-u-ca-gregory"], "row 1"),
            (["en", "fr-CA-\(String(repeating: "abcdefgh-", count: 4))x"], "BCP 47"), (["en", "fr\r\n"], "BCP 47"),
        ] as [([String?], String)])
    func aContentThatMissesALanguageIsRefused(_ locales: [String?], _ says: String) async throws {
        let store = try await StoreFixture.untouched
        let error = await #expect(throws: DatabaseError.self) { try await store.translate(locales) }
        #expect(error?.sqlState == "23514")
        #expect(error?.column == "locale")
        #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
        #expect(error?.hint?.isEmpty == false)
        #expect(try await store.count("message") == 0)
        #expect(try await store.count("due") == 0)
        #expect(try await store.count("translation") == 0)
    }

    @Test(
        arguments: [
            ["en"], ["en-GB"], ["EN", "fr-CA"], [nil], [nil, "fr"], [nil, "zh-Hans-CN"],
            ["en-GB", "fr", "zh-Hans", nil], ["en", "fr-CA-u-fw-mon-mu-celsius"], ["en", "fr-x-formal"], ["en-GB-oed"],
            ["en", "zh"],
        ] as [[String?]])
    func aContentWithFallbackOrNeutralRowIsTaken(_ locales: [String?]) async throws {
        let store = try await StoreFixture.make()
        _ = try await store.translate(locales)
        #expect(try await store.count("due") == 1)
    }

    @Test func aHubWithoutLanguagesTakesNoLocale() async throws {
        let store = try await StoreFixture.make(HubSettings(name: "news"))
        let error = await #expect(throws: DatabaseError.self) { try await store.translate(["en"]) }
        #expect(error?.column == "locale")
        #expect(error?.hint?.contains("hubs.news.languages") == true)
        _ = try await store.translate([nil])
        #expect(try await store.count("due") == 1)
    }

    @Test func withoutFallbackEveryLanguageIsNeededOrANeutralRow() async throws {
        var hub = TestWorker.news
        hub.fallback = nil
        let store = try await StoreFixture.make(hub)
        await #expect(throws: DatabaseError.self) { try await store.translate(["en", "fr"]) }
        _ = try await store.translate(["en", "fr", "zh-Hans"])
        _ = try await store.translate(["fr", nil])
        #expect(try await store.count("due") == 2)
    }

    /// `en-GB` stands for `en` only on a hub that has no language of its own for it.
    @Test func aVariantThatIsALanguageOfTheHubDoesNotStandForTheFallback() async throws {
        var hub = TestWorker.news
        hub.languages = ["en": "English", "en-GB": "British", "fr": "French"]
        let store = try await StoreFixture.make(hub)
        let error = await #expect(throws: DatabaseError.self) { try await store.translate(["en-GB"]) }
        #expect(error?.constraint == "translations_have_a_fallback")
        _ = try await store.translate(["en", "en-GB"])
        hub.fallback = nil
        hub.languages["en-GB"] = nil
        _ = try await Hubs(database: store.database).register(hub)
        _ = try await store.translate(["en-US", "fr-CA"], tag: "every-language-by-a-variant")
    }

    @Test(arguments: [
        #"SELECT push.enqueue('news', 'World', translations => '{"fr": {"m": "a"}, "en": {"m": "b"}, "fr-CA": {"m": "c"}}')"#,
        #"SELECT push.enqueue_many('[{"hub": "news", "tag": "World", "translations": {"fr": {"m": "a"}, "en": {"m": "b"}, "fr-CA": {"m": "c"}}}]')"#,
        #"SELECT push.enqueue_many('[{"hub": "news", "tag": "World", "locale": "fr", "content": {"m": "a"}, "content_key": "k"}, {"hub": "news", "tag": "World", "locale": "fr-CA", "content": {"m": "a"}, "content_key": "k"}]')"#,
        #"INSERT INTO push.message (hub, tag, content_key, locale, content) VALUES ('news', 'World', 'k', 'fr', '{"m": "a"}'), ('news', 'World', 'k', 'fr-CA', '{"m": "b"}')"#,
    ]) func everyEntryRefusesTwoTextsForOneLanguage(_ sql: String) async throws {
        let store = try await StoreFixture.make()
        let error = await #expect(throws: DatabaseError.self) { try await store.database.execute("\(raw: sql)") }
        #expect(error?.constraint == "language_is_given_once")
        #expect(error?.message.contains(#""fr" of hub "news""#) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: ["", #""content": {"m": "a"}, "#])
    func aLocaleBesideTranslationsIsRefused(_ content: String) async throws {
        let store = try await StoreFixture.make()
        let list =
            #"[{"hub": "news", "tag": "World", "locale": "de", \#(content)"translations": {"en": {"m": "x"}}}]"#
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT * FROM push.enqueue_many(\(list)::json)")
        }
        #expect(error?.constraint == "locale_or_translations")
    }

    /// The worker would find no text for phones in English.
    @Test(arguments: [
        #"('fr', '{"a": "x"}'), (NULL, '{"b": "y"}')"#, #"('fr', '{"a": "x"}'), ('en', '{}')"#,
        #"('fr', '{"a": "x"}'), ('en-GB', '{}')"#,
    ]) func whatStandsInForOtherLanguagesHasAProperty(_ rows: String) async throws {
        let store = try await StoreFixture.make()
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute(
                """
                INSERT INTO push.message (hub, tag, locale, content)
                SELECT 'news', 'World', v.locale, v.content::json FROM (VALUES \(raw: rows)) v(locale, content)
                """)
        }
        #expect(error?.constraint == "the_rest_has_a_property")
    }
}
