import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// A sample of an audience is planned as the audience, and says nothing of a person.
@Suite(.timeLimit(.minutes(10))) struct SampleTests {
    private static let kinds = [
        "equal", "personal", "half without a name", "one language", "few tags", "unpacked", "mixed",
    ]

    /// 700 recipients. `mark`: what their words begin with, so that two audiences differ in every word and in nothing else.
    private static func audience(_ kind: String, _ mark: String) -> String {
        let name =
            switch kind {
            case "equal", "unpacked": "'{\"name\": \"\(mark)same\"}'::json"
            case "half without a name":
                "CASE WHEN n % 2 = 0 THEN json_build_object('name', '\(mark)' || lpad((n % 50)::text, 3, '0')) END"
            case "mixed":
                """
                CASE n % 6 WHEN 0 THEN NULL WHEN 1 THEN json_build_object('name', '\(mark)é' || n % 7) WHEN 2 THEN '{"name": "  "}'::json
                    WHEN 3 THEN json_build_object('name', n % 9) WHEN 4 THEN json_build_object('name', '\(mark)' || chr(10) || n % 4)
                    ELSE json_build_object('NAME', '\(mark)' || n % 5, 'other', '\(mark)' || n) END
                """
            default: "json_build_object('name', '\(mark)' || lpad(n::text, 3, '0'))"
            }
        let tag =
            switch kind {
            case "few tags": "'\(mark)' || n % 30"
            case "mixed":
                """
                CASE n % 8 WHEN 0 THEN '\(mark)a || \(mark)b' WHEN 1 THEN '(\(mark)a && !\(mark)' || n % 3 || ')' WHEN 2 THEN upper('\(mark)') || n % 40
                    WHEN 3 THEN '\(mark)' || n % 40 ELSE '\(mark)' || n END
                """
            default: "'\(mark)' || n"
            }
        let locale = kind == "one language" ? "'fr'" : "(ARRAY['en', 'fr', NULL, 'fr-CA'])[n % 4 + 1]"
        return """
            CREATE TABLE public.\(mark)people AS
            SELECT '\(mark)' || lpad(n::text, 5, '0') AS key, \(tag) AS tag, \(locale) AS locale, \(name) AS properties FROM generate_series(1, 700) n;
            GRANT SELECT ON public.\(mark)people TO push_audience;
            """
    }

    private static func spec(_ mark: String, _ kind: String = "") -> String {
        """
        {\(kind == "unpacked" ? #""pack": false, "priority": 1, "# : "")"hubs": ["news", "tagged"], "audience": {"view": "public.\(mark)people"},
         "content": {"en": {"title": "Hi {{name|friend}}"}, "fr": {"title": "Salut {{name|ami}}"}}, "fallback": "en"}
        """
    }

    private static func make() async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        var tagged = TestWorker.news
        tagged.name = "tagged"
        tagged.localization = .tags
        _ = try await Hubs(database: test.database).register(tagged)
        return test
    }

    private struct Outcome: Equatable {
        var posts: Int
        var bodies: Int
        var refused: [String: Int]

        init(_ plans: [Plan]) {
            posts = plans.reduce(0) { $0 + $1.posts.count }
            bodies = Set(plans.flatMap { $0.posts.map(\.body) }).count
            refused = plans.flatMap(\.refusals).reduce(into: [:]) { $0[$1.reason.rawValue, default: 0] += 1 }
        }
    }

    @Test(arguments: kinds) func theSampleOfAWholeAudienceIsPlannedAsTheAudience(_ kind: String) async throws {
        let test = try await Self.make()
        try await test.database.script(Self.audience(kind, "ada"))
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create("spring", spec: Self.spec("ada", kind), draft: false)
        let owner = CampaignStore(database: try await test.login(as: "push_campaign").database)
        let samples = try #require(try await owner.samples("spring"))
        #expect(samples.map(\.hub.name) == ["news", "tagged"] && samples.allSatisfy { $0.recipients == 700 })
        _ = try await campaigns.start("spring", key: "k")
        let runs = Runs(database: test.database)
        for stream in [Int64(1), 2] { _ = try await runs.expand(stream, upTo: 1000) }
        try await PlanReader.read(test.database) { reader in
            for lane in try await reader.lanes() {
                let claim = try #require(try await reader.claim(lane, after: .start))
                let real = Plan(claim.messages, for: lane.settings, now: reader.asOf, runContents: claim.runContents)
                let sample = try #require(samples.first { $0.hub.name == lane.settings.name })
                let planned = Plan(sample.messages, for: sample.hub, now: 0, runContents: sample.runContents)
                #expect(sample.messages.count == 700 && sample.priority == lane.priority)
                #expect(Outcome([planned]) == Outcome([real]), "\(lane.settings.name)")
            }
        }
    }

    @Test func aPartOfAnAudienceIsScaled() async throws {
        let test = try await Self.make()
        try await test.database.script(Self.audience("personal", "ada") + "ANALYZE public.adapeople;")
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create("spring", spec: Self.spec("ada"), draft: false)
        let sample = try #require(try await campaigns.samples("spring", most: 70)?.first)
        #expect(sample.messages.count == 70 && sample.audience == 700 && sample.scale == 10)
        try await test.database.script(
            """
            SELECT push.make_list('all');
            INSERT INTO push.list_member (list, key, tag) SELECT l.id, n::text, 'u:' || n FROM push.list l, generate_series(1, 90) n;
            """)
        _ = try await campaigns.create(
            "listed", spec: #"{"hubs": ["news"], "audience": {"list": "all"}, "content": {"en": {"title": "b"}}}"#,
            draft: false)
        #expect(try await campaigns.samples("listed", most: 30)?.first?.scale == 3)
        #expect(
            try await test.texts(
                "SELECT concat_ws(' ', hub, recipients, is_estimate) FROM push.recipients_of_campaign('listed')") == [
                    "news 90 f"
                ])
        _ = try await campaigns.create(
            "tags",
            spec:
                #"{"hubs": ["tagged"], "audience": {"tags": ["a", "b"]}, "content": {"en": {"a": "b"}, "fr": {"a": "b"}}}"#,
            draft: false)
        #expect(try await campaigns.samples("tags")?.first?.messages.count == 4)
        #expect(try await campaigns.samples("tags")?.first?.scale == 1)
    }

    /// Two audiences that differ in each word, but in no size, give the same rows: so a row can say nothing of a word.
    @Test(arguments: kinds) func theSameRowsComeOfOtherWords(_ kind: String) async throws {
        let test = try await Self.make()
        let campaigns = CampaignStore(database: test.database)
        var rows: [[String]] = []
        for mark in ["ada", "zoe"] {
            try await test.database.script(Self.audience(kind, mark))
            _ = try await campaigns.create("c-\(mark)", spec: Self.spec(mark), draft: false)
            rows.append(try await test.texts("SELECT s::text FROM push.stand_ins_of_campaign('c-\(raw: mark)') s"))
        }
        #expect(rows[0] == rows[1] && rows[0].count > 2)
    }

    /// Columns named like a placeholder, values that are keys, and keys that are values.
    @Test func noKeyTagHandleOrValueLeavesThroughASample() async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            CREATE TABLE public.people AS
            SELECT 'k' || left(md5('key' || n), 9) AS key, CASE WHEN n % 3 > 0 THEN 'k' || left(md5('key' || n), 9) END AS tag,
                   CASE WHEN n % 3 = 0 THEN left(md5('handle' || n), 10) END AS handle,
                   'v' || left(md5('value' || n), 9) AS name, 'v' || left(md5('value' || n), 9) AS twin,
                   json_build_object('name', 'k' || left(md5('key' || (n + 1)), 9), 'k' || left(md5('key' || n), 9), 'v' || left(md5('value' || n), 9),
                                     'key', 'k' || left(md5('key' || n), 9), 'tag', 'v' || left(md5('value' || n), 9)) AS properties
              FROM generate_series(1, 300) n;
            GRANT SELECT ON public.people TO push_audience;
            """)
        _ = try await CampaignStore(database: test.database).create(
            "spring",
            spec: """
                {"hubs": ["news"], "format": "apple", "audience": {"view": "public.people"},
                 "content": {"": {"aps": {"alert": "{{name}} {{key}} {{tag}} {{twin|}} {{target_twin|}} {{handle|}}"}}}}
                """, draft: false)
        let login = try await test.login(as: "push_campaign")
        let rows = try await login.texts("SELECT s::text FROM push.stand_ins_of_campaign('spring') s")
        #expect(rows.count == 300)
        let sample = try #require(try await CampaignStore(database: login.database).samples("spring")?.first)
        let all =
            rows.joined(separator: "\n") + sample.messages.map { "\($0.content) \($0.target)" }.joined(separator: "\n")
        let words = try await test.texts(
            "SELECT DISTINCT m.word[1] FROM public.people p, LATERAL regexp_matches(p::text, '[0-9a-f]{9,10}', 'g') m(word)"
        )
        #expect(words.count > 700)
        #expect(words.filter(all.contains) == [])
    }
}

extension CampaignStore {
    /// As `plan` has them, by name of the hub.
    fileprivate func samples(_ name: String, most: Int32 = 10_000) async throws -> [SamplePlan]? {
        let sample = try await sample(of: name, most: most)
        let recipients = try await recipients(of: name)
        return sample?.map { $0.plan(ofAll: recipients?[$0.hub.name]) }
    }
}
