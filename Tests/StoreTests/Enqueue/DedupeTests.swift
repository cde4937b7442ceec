import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// One content per hub and dedupe_key; a second one never fails and never leaves.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DedupeTests {
    private func insert(_ bench: Bench, _ values: String) async throws -> [Int64] {
        try await bench.database.query(
            "INSERT INTO push.message (hub, tag, locale, content_key, dedupe_key, content) VALUES \(raw: values) RETURNING id"
        ) { rows in try rows.map { row in try row.int64(0) } }
    }

    @Test func aSecondMessageWithTheKeyEndsAsDuplicateAndNamesTheFirst() async throws {
        let bench = try await Bench.make()
        let first = try await insert(bench, "('news', 'a', NULL, NULL, 'order-1', '{}')")[0]
        let second = try await insert(bench, "('news', 'b', NULL, NULL, 'order-1', '{}')")[0]
        #expect(try await bench.results(second) == ["duplicate/duplicate_key"])
        let status = try #require(try await bench.messages.status(of: second))
        #expect(status.status == "duplicate")
        #expect(status.note?.contains("message \(first)") == true)
        #expect(try await bench.claim()?.messages.map(\.id) == [first])
        #expect(try await bench.lost() == [])
    }

    @Test func theSameKeyTwiceInOneStatementKeepsTheFirst() async throws {
        let bench = try await Bench.make()
        let ids = try await insert(
            bench,
            """
            ('news', 'a', NULL, NULL, 'k', '{}'), ('news', 'b', NULL, NULL, 'k', '{}'), ('news', 'c', NULL, NULL, NULL, '{}'),
            ('news', 'd', NULL, NULL, 'l', '{}')
            """)
        #expect(try await bench.results(ids[1]) == ["duplicate/duplicate_key"])
        #expect(try await bench.claim()?.messages.map(\.id).sorted() == [ids[0], ids[2], ids[3]])
        #expect(try await bench.lost() == [])
    }

    @Test func copyIsNeverRefusedForADuplicate() async throws {
        let bench = try await Bench.make()
        try await bench.database.script(
            #"COPY push.message (hub, tag, dedupe_key, content) FROM PROGRAM 'printf "news\ta\tk\t{}\nnews\tb\tk\t{}\n"'"#
        )
        #expect(try await bench.test.texts("SELECT tag FROM push.due d JOIN push.message m ON m.id = d.id") == ["a"])
    }

    @Test func anotherHubHasKeysOfItsOwn() async throws {
        let bench = try await Bench.make()
        _ = try await Hubs(database: bench.database).register(HubSettings(name: "other"))
        _ = try await insert(bench, "('news', 'a', NULL, NULL, 'k', '{}'), ('other', 'a', NULL, NULL, 'k', '{}')")
        #expect(try await bench.count("due") == 2)
    }

    @Test func translationsShareAKeyAndWinOrLoseTogether() async throws {
        let bench = try await Bench.make()
        let rows = "('news', 'a', 'en', NULL, 'k', '{}'), ('news', 'a', 'fr', NULL, 'k', '{}')"
        let won = try await insert(bench, rows)
        let lost = try await insert(bench, rows)
        let claim = try #require(try await bench.claim())
        #expect(claim.messages.map(\.id).sorted() == won)
        #expect(Set(claim.messages.map(\.lead)) == [won[0]])
        for id in lost { #expect(try await bench.results(id) == ["duplicate/duplicate_key"]) }
        #expect(try await bench.lost() == [])
    }

    @Test func contentsOfOneTagWithKeysOfTheirOwnStayApartInOneStatement() async throws {
        let bench = try await Bench.make()
        _ = try await insert(
            bench,
            """
            ('news', 'a', 'en', NULL, 'k', '{}'), ('news', 'a', 'fr', NULL, 'k', '{}'),
            ('news', 'a', 'en', NULL, 'l', '{}'), ('news', 'a', 'fr', NULL, 'l', '{}'), ('news', 'a', NULL, NULL, 'm', '{}')
            """)
        #expect(
            try await bench.test.texts("SELECT translations::text FROM push.due ORDER BY id") == [
                "true", "true", "false",
            ])
    }

    @Test func onAHubLocalisedByTagsTranslationsOfOneStatementAreNoDuplicates() async throws {
        var hub = TestWorker.news
        hub.localization = .tags
        let bench = try await Bench.make(hub)
        let ids = try await insert(
            bench,
            "('news', 'a', 'en', NULL, 'k', '{}'), ('news', 'a', 'fr', NULL, 'k', '{}'), ('news', 'a', 'fr', NULL, 'k', '{}')"
        )
        #expect(try await bench.claim()?.messages.map(\.id).sorted() == [ids[0], ids[1]])
        #expect(try await bench.results(ids[2]) == ["duplicate/duplicate_key"])
    }

    @Test(arguments: [Localization.properties, .tags])
    func anotherTranslationOfTheContentIsNoDuplicateAndTheSameOneIs(_ localization: Localization) async throws {
        var hub = TestWorker.news
        hub.localization = localization
        let bench = try await Bench.make(hub)
        _ = try await insert(bench, "('news', 'a', 'en', 'c', 'k', '{}')")
        let french = try await insert(bench, "('news', 'a', 'fr', 'c', 'k', '{}')")[0]
        let again = try await insert(bench, "('news', 'a', 'fr', 'c', 'k', '{}')")[0]
        let other = try await insert(bench, "('news', 'b', 'fr', 'c', 'k', '{}')")[0]
        #expect(try await bench.results(french) == [])
        #expect(try await bench.messages.status(of: again)?.note?.contains("message \(french)") == true)
        #expect(try await bench.results(other) == ["duplicate/duplicate_key"])
        #expect(try await bench.lost() == [])
    }

    @Test func aKeyIsForgottenAfterItsTime() async throws {
        let bench = try await Bench.make()
        _ = try await insert(bench, "('news', 'a', NULL, NULL, 'k', '{}')")
        try await bench.database.execute("UPDATE push.dedupe SET at = now() - interval '168 hours 1 second'")
        _ = try await insert(bench, "('news', 'a', NULL, NULL, 'k', '{}')")
        #expect(try await bench.count("due") == 2)
        #expect(try await bench.count("dedupe") == 1)
    }

    @Test func whatIsForgottenLeavesTheTable() async throws {
        let bench = try await Bench.make()
        try await bench.database.execute(
            """
            INSERT INTO push.message (hub, tag, dedupe_key, content) SELECT 'news', 'a', 'k' || g, '{}' FROM generate_series(1, 25) g
            """)
        try await bench.database.execute(
            "UPDATE push.dedupe SET at = now() - interval '169 hours' WHERE id % 5 <> 0")
        #expect(try await KeyRetention.forget(in: bench.database, batch: 7) == 20)
        #expect(try await bench.count("dedupe") == 5)
        #expect(try await KeyRetention.forget(in: bench.database) == 0)
    }

    @Test(arguments: [true, false]) func ofTwoOpenTransactionsTheSecondWaitsAndLosesOrWins(_ commits: Bool) async throws
    {
        let bench = try await Bench.make()
        let other = bench.test.another()
        let waiting = try await bench.database.withConnection { connection in
            try await connection.execute("BEGIN")
            try await connection.execute(
                "INSERT INTO push.message (hub, tag, dedupe_key, content) VALUES ('news', 'a', 'k', '{}')")
            let waiting = Task { try await Self.insertOne(other) }
            try await bench.untilOneWaits()
            try await connection.execute(commits ? "COMMIT" : "ROLLBACK")
            return waiting
        }
        #expect(try await bench.results(try await waiting.value) == (commits ? ["duplicate/duplicate_key"] : []))
        #expect(try await bench.count("due") == 1)
        #expect(try await bench.lost() == [])
        await other.close()
    }

    private static func insertOne(_ database: Database) async throws -> Int64 {
        try await database.query(
            "INSERT INTO push.message (hub, tag, dedupe_key, content) VALUES ('news', 'b', 'k', '{}') RETURNING id"
        ) { rows in try rows.first { row in try row.int64(0) } ?? 0 }
    }

    @Test func duplicatesAreCountedAndNoBackendWaitsForAnothersCount() async throws {
        let bench = try await Bench.make()
        _ = try await insert(bench, "('news', 'a', NULL, NULL, 'k', '{}')")
        let rows = "('news', 'a', NULL, NULL, 'k', '{}'), ('news', 'a', NULL, NULL, 'k', '{}')"
        try await bench.database.withTransaction { connection in
            _ = try await connection.execute(
                "INSERT INTO push.message (hub, tag, locale, content_key, dedupe_key, content) VALUES \(raw: rows)")
            _ = try await insert(bench, rows)  // in a session of its own: a wait would never end
        }
        let counted: SQL =
            "SELECT sum(n)::bigint FROM push.tally WHERE status = 'duplicate' AND reason = 'duplicate_key'"
        #expect(try await bench.test.number(counted) == 4)
        try await KeyRetention.forget(in: bench.database)
        #expect(try await bench.test.number(counted) == 4)
        #expect(
            try await bench.test.number("SELECT count(*) FROM push.tally WHERE minute <> date_trunc('minute', minute)")
                == 0)
    }
}
