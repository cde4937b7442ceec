import Campaigns
import Postgres
import PushModel
import PushWorker
import Store
import TestSupport
import Testing

/// What a check forecasts is what a run does, for random recipients: each is counted under the same reason.
@Suite(.timeLimit(.minutes(10))) struct ForecastJourneyTests {
    private struct People {
        var keys: [String] = []
        var tags: [String?] = []
        var locales: [String?] = []
        var properties: [String?] = []
        var late: [Bool] = []

        /// - Parameter longest: characters of a value, which most are far from.
        init(_ n: Int, seed: UInt64, longest: Int) {
            var random = SeededRandom(seed: seed)
            let alphabets = [
                "x", "x", "é", #"\n"#, #"\u00e9"#, #"\u0041"#, #"\""#, #"\ud83d\ude00"#, "1", " ", "\u{2003}",
            ]
            for i in 1...n {
                // Some keys twice, one behind the other.
                let key = String(100_000 + (i % 25 == 0 ? i - 1 : i))
                let tag = [
                    "user:\(i)", "user:\(i)", "user:\(i)", "(a\(i) || b) && !c", "a && b && c && d && e && f\(i)",
                    "$InstallationId:{\(i)}", "no tag \(i)", nil,
                ].randomElement(using: &random)!
                let value = String(
                    repeating: alphabets.randomElement(using: &random)!,
                    count: [0, 1, 7, 7, longest / 8, longest / 2, longest].randomElement(using: &random)!)
                let own = [
                    #"{"name": "\#(value)"}"#, #"{"NAME": "\#(value)"}"#, #"{"Name": "x", "name": "\#(value)"}"#, "{}",
                    nil, "null",
                    #"{"name": "\#(value)", "order": "\#(value)"}"#, #"{"name": "\#(value)", "order": \#(i)}"#,
                    #"{"name": [1]}"#, #"{"name": null}"#, #"{"name": -1.5e3}"#, "[]", #"{"name": true, "order": {}}"#,
                ].randomElement(using: &random)!
                keys.append(key)
                tags.append(tag)
                locales.append(
                    [nil, nil, "fr", "fr-CA", "en", "pt", "not_one", "zh-Hans-CN"].randomElement(using: &random)!)
                properties.append(own)
                late.append(Int.random(in: 0..<20, using: &random) == 0)
            }
        }
    }

    @Test(arguments: [
        (
            #""content": {"en": {"title": "Hi {{name}}"}, "fr": {"title": "Salut {{name|ami}}", "body": "{{order|?}}{{order|?}}"}}"#,
            40_000
        ),
        (#""content": {"en": {"title": "Hi {{name}}"}, "": {"body": "{{name|you}}"}}, "fallback": "en""#, 12_000),
        (
            #"""
            "format": "apple", "content": {"": {"aps": {"alert": "Hi {{name|friend}}"}}},
            "headers": {"apns-collapse-id": "order-{{order|0}}"}
            """#, 4_100
        ),
    ])
    func eachRecipientIsCountedUnderTheSameReason(members: String, longest: Int) async throws {
        var tagged = TestWorker.news
        (tagged.name, tagged.hub, tagged.localization) = ("tagged", "tagged", .tags)
        let worker = try await TestWorker.make(TestWorker.news, tagged)
        let database = worker.test.database
        let people = People(500, seed: UInt64(longest), longest: longest)
        try await database.script(
            """
            CREATE SCHEMA marketing;
            CREATE TABLE marketing.people (key text, tag text, locale text, properties json, expires_at timestamptz);
            CREATE INDEX ON marketing.people (key);
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.people TO push_audience;
            SELECT push.suppress('tag', 'user:' || n) FROM generate_series(1, 500, 7) n;
            """)
        try await database.execute(
            """
            INSERT INTO marketing.people
            SELECT u.key, u.tag, u.locale, u.properties::json, CASE WHEN u.late THEN now() - interval '1 min' END
              FROM unnest(\(people.keys), \(people.tags), \(people.locales), \(people.properties), \(people.late))
                   u(key, tag, locale, properties, late)
            """)
        let campaigns = CampaignStore(database: database)
        _ = try await campaigns.create(
            "spring",
            spec: #"{"hubs": ["news", "tagged"], "audience": {"view": "marketing.people"}, \#(members)}"#, draft: false)
        let forecasts = try #require(try await campaigns.sample(of: "spring", most: 1000, seconds: 60)?.map(\.forecast))
        #expect(forecasts.map(\.recipients) == [500, 500])
        var said: [String: Int64] = [:]
        for forecast in forecasts {
            said["\(forecast.hub) taken_by_hub"] = forecast.sent
            for loss in forecast.refused + forecast.leftOut {
                said["\(forecast.hub) \(loss.reason)", default: 0] += loss.recipients
            }
        }

        _ = try await campaigns.start("spring", key: "k")
        try await CampaignJourneyTests.working(worker) {
            try await worker.until("SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL")
        }
        let done = try await database.query(
            """
            SELECT concat_ws(' ', m.hub, r.reason), count(*)
              FROM push.message m JOIN push.result r ON r.id = m.id WHERE r.status <> 'retrying' GROUP BY 1
             UNION ALL
            SELECT concat_ws(' ', h.name, e.key), sum(e.value::bigint)::bigint
              FROM push.slice s
                   JOIN push.stream t ON t.id = s.stream
                   JOIN push.hub h ON h.id = t.hub,
                   json_each_text(s.left_out) e
             WHERE e.key <> 'double_example' GROUP BY 1
            """
        ) { rows in
            try rows.map { row in (try row.string(), try row.int64()) }
        }
        #expect(said == Dictionary(uniqueKeysWithValues: done))
        #expect(said.count > 8, "the test: \(said)")
        await database.close()
    }
}
