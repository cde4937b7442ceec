import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// Recipients as the planner sees them, without anything of a person.
@Suite struct StandInTests {
    /// 500 recipients with a word of their own in each column, of many kinds; some are suppressed.
    private static func make() async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        var tagged = TestWorker.news
        tagged.name = "tagged"
        tagged.localization = .tags
        _ = try await Hubs(database: test.database).register(tagged)
        try await test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE FUNCTION marketing.word(n int, of text) RETURNS text LANGUAGE sql IMMUTABLE RETURN left(md5(of || n), 9);
            CREATE TABLE marketing.people AS
            SELECT n, 'key' || marketing.word(n, 'key') AS key,
                   CASE n % 9
                       WHEN 0 THEN NULL
                       WHEN 1 THEN 'no tag ' || marketing.word(n, 'tag')
                       WHEN 2 THEN format('(%s || !%s)', marketing.word(n, 'tag'), marketing.word(n, 'other'))
                       WHEN 3 THEN format('$InstallationId:{%s}', marketing.word(n, 'tag'))
                       ELSE marketing.word(n, 'tag')
                   END AS tag,
                   CASE n % 11 WHEN 0 THEN 'fr-' || left(marketing.word(n, 'locale'), 8) WHEN 1 THEN marketing.word(n, 'locale') || '!'
                               WHEN 2 THEN 'fr' END AS locale,
                   CASE n % 13
                       WHEN 0 THEN to_json(marketing.word(n, 'name'))
                       WHEN 1 THEN json_build_object('name', ARRAY[marketing.word(n, 'name')])
                       WHEN 2 THEN json_build_object(marketing.word(n, 'name'), marketing.word(n, 'other'))
                       WHEN 3 THEN json_build_object('name', repeat(marketing.word(n, 'name'), 9000))
                       WHEN 4 THEN ('{"name": "' || marketing.word(n, 'name') || '\\u0000"}')::json
                       WHEN 5 THEN json_build_object('name', marketing.word(n, 'name') || E'\\n\\u00e9')
                       ELSE json_build_object('NAME', marketing.word(n, 'name'), 'other', marketing.word(n, 'other'))
                   END AS properties
              FROM generate_series(1, 500) n;
            CREATE UNIQUE INDEX ON marketing.people (key);
            CREATE VIEW marketing.lapsed AS SELECT key, tag, locale, properties FROM marketing.people;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.lapsed TO push_audience;
            SELECT push.suppress('key', key) FROM marketing.people WHERE n % 17 = 0;
            SELECT push.suppress('tag', tag) FROM marketing.people WHERE n % 9 > 4 AND n % 19 = 0;
            """)
        _ = try await CampaignStore(database: test.database).create(
            "spring",
            spec: """
                {"hubs": ["news", "tagged"], "audience": {"view": "marketing.lapsed"},
                 "content": {"en": {"title": "Hi {{name}}"}, "fr": {"title": "Salut {{Name|ami}}"}}, "approval": "one"}
                """, draft: false)
        return test
    }

    @Test func nothingOfARecipientStandsInAStandIn() async throws {
        let test = try await Self.make()
        let rows = try await test.texts("SELECT s::text FROM push.stand_ins_of_campaign('spring') s")
        #expect(rows.count > 20)
        let own = try await test.texts(
            """
            SELECT DISTINCT w.word
              FROM marketing.people p, LATERAL regexp_matches(p::text, '[0-9a-f]{8,9}', 'g') m(word), unnest(m.word) w(word)
            """)
        #expect(own.count > 1_500)
        let all = rows.joined(separator: "\n")
        #expect(own.filter(all.contains) == [])
    }

    @Test func everyRecipientIsInOneStandInOfEachHub() async throws {
        let test = try await Self.make()
        #expect(
            try await test.texts(
                "SELECT concat_ws(' ', hub, sum(recipients)) FROM push.stand_ins_of_campaign('spring') GROUP BY hub ORDER BY 1"
            ) == ["news 500", "tagged 500"])
        #expect(
            try await test.texts(
                """
                SELECT concat_ws(': ', coalesce(left_out, left(refused, 60)), sum(recipients))
                  FROM push.stand_ins_of_campaign('spring', most => 300)
                 WHERE hub = 'news' AND (left_out IS NOT NULL OR refused IS NOT NULL) GROUP BY left_out, refused
                """
            ).count >= 5)
        #expect(
            try await test.number(
                "SELECT sum(recipients)::bigint FROM push.stand_ins_of_campaign('spring', 1, 300) WHERE hub = 'news'")
                == 300)
    }

    /// A person who reads a campaign before it is sent sees the same as its owner.
    @Test func anApproverSeesWhatTheOwnerSees() async throws {
        let test = try await Self.make()
        let owner = CampaignStore(database: try await test.login(as: "push_campaign").database)
        let reader = CampaignStore(database: try await test.login(as: "push_approve").database)
        let seen = try #require(try await owner.sample(of: "spring")?.map(\.forecast))
        #expect(seen.map(\.hub) == ["news", "tagged"])
        #expect(seen.allSatisfy { $0.recipients == 500 && $0.sent > 0 && $0.refused.count > 3 })
        #expect(try await reader.sample(of: "spring", revision: 1)?.map(\.forecast) == seen)
        #expect(try await reader.check("spring") == owner.check("spring"))
        #expect(try await reader.check("spring", revision: 1).contains { $0.about == "approval" } == false)
        let other = try await test.login(as: "push_monitor")
        await #expect(throws: DatabaseError.self) {
            try await CampaignStore(database: other.database).sample(of: "spring")?.map(\.forecast)
        }
    }

    /// The newest revision may be another than the one that is read.
    @Test func aRevisionIsReadAsItWas() async throws {
        let test = try await Self.make()
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create(
            "spring",
            spec:
                #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "x"}}, "approval": "one"}"#,
            draft: false)
        #expect(try await campaigns.sample(of: "spring")?.map(\.forecast).map(\.sent) == [1])
        #expect(try await campaigns.sample(of: "spring", revision: 1)?.map(\.forecast).map(\.recipients) == [500, 500])
        #expect(try await campaigns.check("spring").contains { $0.finding == "1 message" })
        #expect(try await campaigns.check("spring", revision: 1).contains { $0.about == "hub tagged" })
    }

    @Test func whoHadEnoughCampaignsOrStandsThereTwiceIsLeftOut() async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            CREATE TABLE marketing.twice AS SELECT lpad((n / 2 * 2)::text, 3, '0') AS key, 'user:' || n AS tag FROM generate_series(2, 21) n;
            GRANT SELECT ON marketing.twice TO push_audience;
            """)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create(
            "capped",
            spec: """
                {"hubs": ["news"], "audience": {"view": "marketing.twice"}, "content": {"": {"title": "x"}},
                 "cap": {"count": 1, "days": 7, "group": "offers"}}
                """, draft: false)
        let before = try #require(try await campaigns.sample(of: "capped")?.map(\.forecast).first)
        #expect(before.sent == 10)
        #expect(before.leftOut.map(\.reason) == ["double_key"] && before.recipients == 20)
        _ = try await campaigns.start("capped", key: "k")
        _ = try await Runs(database: test.database).expand(1, upTo: 8)
        let after = try #require(try await campaigns.sample(of: "capped")?.map(\.forecast).first)
        let reached = try await test.number("SELECT count(*) FROM push.message")
        #expect(after.sent == 10 - reached)
        #expect(after.leftOut.contains { $0.reason == "capped" && $0.recipients == reached })
    }

    /// 5,120 bytes as Windows gets it: what XML escapes is longer there, and what it cannot carry is refused.
    @Test func aPayloadOfWindowsIsForecastAsXML() async throws {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.script(
            """
            CREATE TABLE public.people AS
            SELECT n AS key, 'tag' || n AS tag,
                   json_build_object('name', CASE n WHEN 1 THEN 'Ben & Jerry' WHEN 2 THEN repeat('&', 1000) WHEN 3 THEN repeat('x', 5000)
                       WHEN 4 THEN repeat('&', 1100) WHEN 5 THEN E'a\\u0001' WHEN 6 THEN E'\\u007f' WHEN 7 THEN repeat('"', 900) END)
                       AS properties
              FROM generate_series(1, 7) n;
            GRANT SELECT ON public.people TO push_audience;
            """)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create(
            "tiles",
            spec: """
                {"hubs": ["news"], "format": "windows", "audience": {"view": "public.people"}, "headers": {"X-WNS-Type": "wns/toast"},
                 "content": {"": "<toast><text>{{name}}</text></toast>"}}
                """, draft: false)
        let forecast = try #require(try await campaigns.sample(of: "tiles")?.map(\.forecast).first)
        #expect(forecast.sent == 4)
        #expect(forecast.refused.map(\.recipients).reduce(0, +) == 3)
        #expect(forecast.refused.contains { $0.text?.contains("U+0001, which XML cannot carry") == true })
    }

    @Test func readingThemTakesSoManySecondsAtMost() async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            CREATE FUNCTION marketing.slow(t text) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT t FROM pg_sleep(3600) $$;
            CREATE VIEW marketing.slowly AS SELECT key, marketing.slow(tag) AS tag FROM marketing.people;
            GRANT SELECT ON marketing.slowly TO push_audience;
            """)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create(
            "slow", spec: #"{"hubs": ["news"], "audience": {"view": "marketing.slowly"}, "content": {"": {"a": "b"}}}"#,
            draft: false)
        #expect(try await campaigns.sample(of: "slow", seconds: 1)?.map(\.forecast) == nil)
    }
}
