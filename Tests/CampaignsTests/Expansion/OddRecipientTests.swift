import Postgres
import PushModel
import TestSupport
import Testing

/// Recipients with every kind of locale: whose locale is one is reached, in the nearest language of the content, and only the
/// others end as `not_sendable`.
@Suite(.timeLimit(.minutes(10))) struct OddRecipientTests {
    private static let locales = [
        "en", "fr", "FR", "fr-CA", "fr-CA-u-fw-mon-mu-celsius", "fr-x-formal", "en-GB-oed", "i-klingon", "x-mine",
        "de", "zh-Hant-TW", "fr-1994", "en-u" + String(repeating: "-abcdefgh", count: 10), "en-12", "fr-US-GB",
        "zh-Hans-Hant", "en-a1", "fr_CA", "", "fr-", "e", "fr-x", "français", " fr",
        "en-u" + String(repeating: "-abcdefgh", count: 11),
    ]

    @Test func whoHasALocaleIsReached() async throws {
        var news = TestWorker.news
        news.languages = ["en": "English", "fr": "French"]
        var tagged = HubSettings(name: "tagged", hub: "tagged-news")
        tagged.localization = .tags
        tagged.languages = news.languages
        tagged.fallback = "en"
        let worker = try await TestWorker.make(news, tagged)
        let locales = Self.locales
        try await worker.test.database.execute("SELECT push.make_list('odd')")
        try await worker.test.database.execute(
            """
            INSERT INTO push.list_member (list, key, tag, locale)
            SELECT 1, n, 'user:' || n, l FROM unnest(\(locales)) WITH ORDINALITY u(l, n)
            """)
        for hub in ["news", "tagged"] {
            let spec = """
                {"hubs": ["\(hub)"], "audience": {"list": "odd"}, "fallback": "en",
                 "content": {"en": {"title": "EN"}, "fr": {"title": "FR"}}}
                """
            try await worker.test.database.execute("SELECT * FROM push.create_campaign(\(hub), (\(spec))::json)")
            try await worker.test.database.execute("SELECT * FROM push.start_run(\(hub), 'k')")
        }
        try await CampaignJourneyTests.working(worker) {
            try await worker.until("SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL") { $0 == 2 }
        }
        let taken = locales.count { (try? LocaleTag($0)) != nil }  // the rule is what is tested
        #expect(taken == 13)
        #expect(
            try await worker.test.texts(
                """
                SELECT concat_ws(' ', m.hub, r.status, r.reason, count(*))
                  FROM push.message m JOIN push.result r USING (id) GROUP BY m.hub, r.status, r.reason ORDER BY 1
                """) == [
                    "news accepted taken_by_hub \(taken)", "news rejected not_sendable \(locales.count - taken)",
                    "tagged accepted taken_by_hub \(taken)", "tagged rejected not_sendable \(locales.count - taken)",
                ])
        #expect(
            try await worker.test.number(
                "SELECT count(*) FROM push.result WHERE reason = 'not_sendable' AND note NOT LIKE 'locale %'") == 0)
        let tags = Set(worker.emulator.journal().filter { $0.hub == "tagged-news" }.compactMap(\.tags))
        #expect(
            tags == Set((1...taken).map { "(user:\($0)) && locale_\((2...6).contains($0) || $0 == 12 ? "fr" : "en")" }))
    }
}
