import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// One content per hub and dedupe_key; a second one never fails the INSERT and is never sent.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DedupeTests {
    private func insert(_ store: StoreFixture, _ values: String) async throws -> [Int64] {
        try await store.database.query(
            "INSERT INTO push.message (hub, tag, locale, content_key, dedupe_key, content) VALUES \(raw: values) RETURNING id"
        ) { rows in try rows.map { row in try row.int64() } }
    }

    @Test func aSecondMessageWithTheKeyIsADuplicateAndNamesTheFirst() async throws {
        let store = try await StoreFixture.make()
        let first = try await insert(store, "('news', 'a', NULL, NULL, 'order-1', '{}')")[0]
        let second = try await insert(store, "('news', 'b', NULL, NULL, 'order-1', '{}')")[0]
        #expect(try await store.results(second) == ["duplicate/duplicate_key"])
        let status = try #require(try await store.messages.status(of: second))
        #expect(status.status == "duplicate")
        #expect(status.note?.contains("message \(first)") == true)
        #expect(try await store.claim()?.messages.map(\.id) == [first])
        #expect(try await store.lost() == [])
    }

    @Test func theSameKeyTwiceInOneStatementKeepsTheFirst() async throws {
        let store = try await StoreFixture.make()
        let ids = try await insert(
            store,
            """
            ('news', 'a', NULL, NULL, 'k', '{}'), ('news', 'b', NULL, NULL, 'k', '{}'), ('news', 'c', NULL, NULL, NULL, '{}'),
            ('news', 'd', NULL, NULL, 'l', '{}')
            """)
        #expect(try await store.results(ids[1]) == ["duplicate/duplicate_key"])
        #expect(try await store.claim()?.messages.map(\.id).sorted() == [ids[0], ids[2], ids[3]])
        #expect(try await store.lost() == [])
    }

    @Test func copyIsNeverRefusedForADuplicate() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            #"COPY push.message (hub, tag, dedupe_key, content) FROM PROGRAM 'printf "news\ta\tk\t{}\nnews\tb\tk\t{}\n"'"#
        )
        #expect(try await store.test.texts("SELECT tag FROM push.due d JOIN push.message m ON m.id = d.id") == ["a"])
    }

    @Test func keysAreUniquePerHub() async throws {
        let store = try await StoreFixture.make()
        _ = try await Hubs(database: store.database).register(HubSettings(name: "other"))
        _ = try await insert(store, "('news', 'a', NULL, NULL, 'k', '{}'), ('other', 'a', NULL, NULL, 'k', '{}')")
        #expect(try await store.count("due") == 2)
    }

    @Test func translationsShareAKeyAndWinOrLoseTogether() async throws {
        let store = try await StoreFixture.make()
        let rows = "('news', 'a', 'en', NULL, 'k', '{}'), ('news', 'a', 'fr', NULL, 'k', '{}')"
        let won = try await insert(store, rows)
        let lost = try await insert(store, rows)
        let claim = try #require(try await store.claim())
        #expect(claim.messages.map(\.id).sorted() == won)
        #expect(Set(claim.messages.map(\.lead)) == [won[0]])
        for id in lost { #expect(try await store.results(id) == ["duplicate/duplicate_key"]) }
        #expect(try await store.lost() == [])
    }

    @Test func contentsWithDifferentKeysStayApartInOneStatement() async throws {
        let store = try await StoreFixture.make()
        _ = try await insert(
            store,
            """
            ('news', 'a', 'en', NULL, 'k', '{}'), ('news', 'a', 'fr', NULL, 'k', '{}'),
            ('news', 'a', 'en', NULL, 'l', '{}'), ('news', 'a', 'fr', NULL, 'l', '{}'), ('news', 'a', NULL, NULL, 'm', '{}')
            """)
        #expect(
            try await store.test.texts("SELECT (kind = 't')::text FROM push.due ORDER BY id") == [
                "true", "true", "false",
            ])
    }

    @Test func localisedByTagsTranslationsAreNoDuplicates() async throws {
        var hub = TestWorker.news
        hub.localization = .tags
        let store = try await StoreFixture.make(hub)
        let ids = try await insert(
            store,
            "('news', 'a', 'en', NULL, 'k', '{}'), ('news', 'a', 'fr', NULL, 'k', '{}'), ('news', 'a', 'fr', NULL, 'k', '{}')"
        )
        #expect(try await store.claim()?.messages.map(\.id).sorted() == [ids[0], ids[1]])
        #expect(try await store.results(ids[2]) == ["duplicate/duplicate_key"])
    }

    @Test(arguments: [Localization.properties, .tags])
    func onlyTheSameTranslationIsADuplicate(_ localization: Localization) async throws {
        var hub = TestWorker.news
        hub.localization = localization
        let store = try await StoreFixture.make(hub)
        _ = try await insert(store, "('news', 'a', 'en', 'c', 'k', '{}')")
        let french = try await insert(store, "('news', 'a', 'fr', 'c', 'k', '{}')")[0]
        let again = try await insert(store, "('news', 'a', 'fr', 'c', 'k', '{}')")[0]
        let other = try await insert(store, "('news', 'b', 'fr', 'c', 'k', '{}')")[0]
        #expect(try await store.results(french) == [])
        #expect(try await store.messages.status(of: again)?.note?.contains("message \(french)") == true)
        #expect(try await store.results(other) == ["duplicate/duplicate_key"])
        #expect(try await store.lost() == [])
    }

    @Test func aKeyIsForgottenAfterItsTime() async throws {
        let store = try await StoreFixture.make()
        _ = try await insert(store, "('news', 'a', NULL, NULL, 'k', '{}')")
        try await store.database.execute("UPDATE push.dedupe SET at = now() - interval '168 hours 1 second'")
        _ = try await insert(store, "('news', 'a', NULL, NULL, 'k', '{}')")
        #expect(try await store.count("due") == 2)
        #expect(try await store.count("dedupe") == 1)
    }

    @Test func forgottenKeysLeaveTheTable() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, dedupe_key, content) SELECT 'news', 'a', 'k' || g, '{}' FROM generate_series(1, 25) g
            """)
        try await store.database.execute(
            "UPDATE push.dedupe SET at = now() - interval '169 hours' WHERE id % 5 <> 0")
        #expect(try await KeyRetention.forget(in: store.database, batch: 7) == 20)
        #expect(try await store.count("dedupe") == 5)
        #expect(try await KeyRetention.forget(in: store.database) == 0)
    }

    @Test(arguments: [true, false]) func ofTwoOpenTransactionsTheSecondWaits(_ commits: Bool) async throws {
        let store = try await StoreFixture.make()
        let other = store.test.another()
        let waiting = try await store.database.withConnection { connection in
            try await connection.execute("BEGIN")
            try await connection.execute(
                "INSERT INTO push.message (hub, tag, dedupe_key, content) VALUES ('news', 'a', 'k', '{}')")
            let waiting = Task { try await Self.insertOne(other) }
            try await store.untilASessionWaits()
            try await connection.execute(commits ? "COMMIT" : "ROLLBACK")
            return waiting
        }
        #expect(try await store.results(try await waiting.value) == (commits ? ["duplicate/duplicate_key"] : []))
        #expect(try await store.count("due") == 1)
        #expect(try await store.lost() == [])
        await other.close()
    }

    private static func insertOne(_ database: Database) async throws -> Int64 {
        try await database.query(
            "INSERT INTO push.message (hub, tag, dedupe_key, content) VALUES ('news', 'b', 'k', '{}') RETURNING id"
        ) { rows in try rows.first { row in try row.int64() } ?? 0 }
    }

    @Test func duplicatesAreCountedWithoutWaiting() async throws {
        let store = try await StoreFixture.make()
        _ = try await insert(store, "('news', 'a', NULL, NULL, 'k', '{}')")
        let rows = "('news', 'a', NULL, NULL, 'k', '{}'), ('news', 'a', NULL, NULL, 'k', '{}')"
        try await store.database.withTransaction { connection in
            _ = try await connection.execute(
                "INSERT INTO push.message (hub, tag, locale, content_key, dedupe_key, content) VALUES \(raw: rows)")
            _ = try await insert(store, rows)  // in another session: a wait would never end
        }
        let counted: SQL =
            "SELECT sum(n)::bigint FROM push.tally WHERE status = 'duplicate' AND reason = 'duplicate_key'"
        #expect(try await store.test.number(counted) == 4)
        try await KeyRetention.forget(in: store.database)
        #expect(try await store.test.number(counted) == 4)
        #expect(
            try await store.test.number("SELECT count(*) FROM push.tally WHERE minute <> date_trunc('minute', minute)")
                == 0)
    }

    @Test func theSameContentTwiceInOneStatementIsADuplicate() async throws {
        let store = try await StoreFixture.make()
        let rows = try await store.test.texts(
            """
            SELECT id || ' ' || inserted FROM push.enqueue_many('[
                {"hub": "news", "tag": "X", "dedupe_key": "k", "translations": {"en": {"m": "A"}, "fr": {"m": "A"}}},
                {"hub": "news", "tag": "X", "dedupe_key": "k", "translations": {"en": {"m": "A"}, "fr": {"m": "A"}}}]')
            """)
        #expect(rows.count == 2)
        #expect(rows[0].hasSuffix("true") && rows[1].hasSuffix("false"), "\(rows)")
        #expect(rows[0].split(separator: " ")[0] == rows[1].split(separator: " ")[0])
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, dedupe_key, content)
            VALUES ('news', 'Y', 'en', 'l', '{}'), ('news', 'Y', 'en', 'l', '{}'), ('news', 'Y', 'fr', 'l', '{}')
            """)
        #expect(try await store.count("due") == 2)
        #expect(
            try await store.test.texts(
                "SELECT locale || ' ' || status FROM push.message_status WHERE target = 'Y' ORDER BY id")
                == ["en due", "en duplicate", "fr due"])
        #expect(try await store.lost() == [])
    }
}
