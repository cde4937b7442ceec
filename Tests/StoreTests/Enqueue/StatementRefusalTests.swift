import Postgres
import Store
import TestSupport
import Testing

/// What is refused because of the rows of one statement together, and how an error names its row.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StatementRefusalTests {
    private static let stories = """
        INSERT INTO push.message (hub, tag, locale, content) VALUES
            ('news', 'World', 'en', '{"title": "Story 1"}'),
            ('news', 'World', NULL, '{"title": "Story 2"}'),
            ('news', 'World', 'fr', '{"title": "Histoire 2"}')
        """

    private func refusal(_ sql: String, on store: StoreFixture) async -> DatabaseError? {
        await #expect(throws: DatabaseError.self) { try await store.database.execute("\(raw: sql)") }
    }

    /// An object mapper puts all rows of a flush into one INSERT: half of the devices got the wrong story.
    @Test func twoStoriesAreNotOneContent() async throws {
        let store = try await StoreFixture.make()
        let error = try #require(await refusal(Self.stories, on: store))
        #expect(error.is(.checkViolation))
        #expect(
            error.description.contains(
                #"row 2 (no locale) and row 1 (locale "en") for tag "World" of one statement go to hub "news" as one content"#
            ))
        #expect(error.hint?.contains("a statement of its own, or give each a content_key") == true)
        #expect(try await store.count("message") == 0)
    }

    /// Without the row in the fallback language, the row without locale is what stands in for all others.
    @Test(arguments: [
        stories.replacing("'en'", with: "'zh-Hans'"),
        stories.replacing("(hub,", with: "(content_key, hub,").replacing("('news'", with: "('k', 'news'"),
        #"SELECT push.enqueue('news', 'World', '{"title": "a"}', translations => '{"en": {"title": "b"}}')"#,
        #"SELECT push.enqueue_many('[{"hub": "news", "tag": "World", "content": {"title": "a"}, "translations": {"en": {"title": "b"}}}]')"#,
    ]) func theseAreOneContent(_ sql: String) async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("\(raw: sql)")
        #expect(try await store.lost() == [])
    }

    @Test(arguments: [
        (
            #"INSERT INTO push.message (hub, tag, content) SELECT 'news', CASE n WHEN 777 THEN 'a b' ELSE 't' || n END, '{"m": "x"}' FROM generate_series(1, 1000) n"#,
            #"row 777 (tag "a b"): push.message.tag"#
        ),
        (
            #"INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{"m": "x"}'), ('news', 'b', '[]')"#,
            #"row 2 (tag "b"): push.message.content is a JSON array"#
        ),
        (
            #"INSERT INTO push.message (hub, tag, locale, content) VALUES ('news', 'a', 'en', '{"m": "x"}'), ('news', 'b', 'it', '{"m": "x"}')"#,
            #"row 2 (tag "b", locale "it"): push.message.locale "it": hub "news" has no language for it"#
        ),
        (
            #"SELECT push.enqueue_many('[{"hub": "news", "tag": "a", "content": {}, "translations": {"en": {}, "fr": {}}}, {"hub": "news", "tag": "b c", "content": {}}]')"#,
            #"message 2 (tag "b c"): push.message.tag"#
        ),
        (
            #"INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{"m": "x"}'), ('nws', 'b', '{"m": "x"}'), ('nws', 'c', '{"m": "x"}')"#,
            #"row 2 (tag "b"): push.message.hub "nws" is not registered"#
        ),
        (
            #"INSERT INTO push.message (hub, tag, locale, content) VALUES ('news', 'a b', NULL, '[]'), ('nws', 'b', 'fr', '{"m": "x"}')"#,
            #"row 2 (tag "b", locale "fr"): push.message.hub "nws" is not registered"#
        ),
        (
            #"INSERT INTO push.message (hub, tag, content) SELECT CASE n WHEN 777 THEN 'nws' ELSE 'news' END, 't' || n, '{"m": "x"}' FROM generate_series(1, 1000) n"#,
            #"row 777 (tag "t777"): push.message.hub "nws" is not registered"#
        ),
        (
            #"SELECT push.enqueue_many('[{"hub": "news", "tag": "a", "content": {}, "translations": {"en": {}, "fr": {}}}, {"hub": "nws", "tag": "b", "content": {}}]')"#,
            #"message 2 (tag "b"): push.message.hub "nws" is not registered"#
        ),
        (
            #"SELECT push.enqueue_many('[{"hub": "news", "tag": "a", "content": {}}, {"tag": "b", "content": {}}]')"#,
            #"message 2 (tag "b"): push.message.hub is missing"#
        ),
        (
            #"SELECT push.enqueue_many('[{"hub": "news", "tag": "a", "content": {}}, {"hub": "news", "tag": "b"}]')"#,
            #"message 2 (tag "b"): push.message.content is missing: neither content nor translations"#
        ),
        (
            #"INSERT INTO push.message (hub, tag, content) VALUES ('nws', 'a', '{}')"#,
            #"push.message.hub "nws" is not registered"#
        ),
        (
            #"SELECT push.enqueue('nws', 'a', '{}', dedupe_key => 'k')"#, #"push.message.hub "nws" is not registered"#
        ),
        (
            #"INSERT INTO push.message (hub, tag, content) VALUES ('', 'a', '{"m": "x"}')"#,
            #"push.message.hub "" is not registered"#
        ),
        (
            #"INSERT INTO push.message (hub, tag, content) VALUES ('nws', 'a', '{"m": "x"}'), ('', 'b', '{"m": "x"}')"#,
            #"row 1 (tag "a"): push.message.hub "nws" is not registered"#
        ),
        (#"SELECT push.enqueue('', 'a', '{"m": "x"}')"#, #"push.message.hub "" is not registered"#),
        (
            #"SELECT push.enqueue('', 'a', '{"m": "x"}', dedupe_key => 'k')"#,
            #"push.message.hub "" is not registered"#
        ),
        (
            #"SELECT push.enqueue_many('[{"hub": "news", "tag": "a", "content": {}}, {"hub": "", "tag": "b", "content": {}}]')"#,
            #"message 2 (tag "b"): push.message.hub "" is not registered"#
        ),
        (#"INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a b', '{}')"#, #"push.message.tag "a b""#),
        (#"SELECT push.enqueue('news', 'a b', '{}', dedupe_key => 'k')"#, #"push.message.tag "a b""#),
    ]) func anErrorNamesItsRow(_ sql: String, _ words: String) async throws {
        let store = try await StoreFixture.untouched
        let error = try #require(await refusal(sql, on: store))
        #expect(error.message.hasPrefix(words), "\(error)")
        #expect(words.hasPrefix("push") == !error.message.contains("(tag "), "a single row needs no name")
    }

    @Test(arguments: [
        (
            #"INSERT INTO push.message (tag, content) VALUES ('a', '{"m": "secret"}')"#, "hub",
            "Give the name of a hub. Registered: news."
        ),
        (#"INSERT INTO push.message (hub, tag) VALUES ('news', 'a')"#, "content", #"{"message": "hi"}"#),
        (
            #"INSERT INTO push.message (hub, tag, meta) VALUES ('news', 'a', '"secret"')"#, "content",
            #"{"message": "hi"}"#
        ),
    ]) func whatIsMissingIsNamedWithoutTheRest(_ sql: String, _ column: String, _ hint: String) async throws {
        let store = try await StoreFixture.make()
        let error = try #require(await refusal(sql, on: store))
        #expect(error.sqlState == "23502")
        #expect(error.description.contains(#"push.message.\#(column) is missing (tag "a")"#))
        #expect(error.hint?.contains(hint) == true)
        #expect(!"\(error) \(error.detail ?? "")".contains("secret"))
    }

    /// Object mappers write every column.
    @Test func anExplicitNullIsTheDefault() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, broadcast, format, send_at, priority, pack, locale, meta)
            VALUES ('news', 'a', '{"m": "x"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL)
            """)
        #expect(
            try await store.test.texts(
                "SELECT concat_ws(' ', broadcast, format, priority, pack, send_at > now() - interval '1 min') FROM push.message"
            ) == ["f template 1 t t"])
        #expect(try await store.claim()?.messages.count == 1)
    }
}
