import Postgres
import Store
import TestSupport
import Testing

/// Sending what a campaign says to a test audience: nothing of the campaign knows of it.
@Suite struct CampaignTestTests {
    private static func make(_ members: String = "") async throws -> (TestDatabase, CampaignStore) {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create(
            "spring",
            spec:
                #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "x"}}, "approval": "two"\#(members)}"#,
            draft: false)
        return (test, campaigns)
    }

    @Test func itSendsARevisionThatNobodyApprovedAndOnlyToTheTestAudience() async throws {
        let (test, campaigns) = try await Self.make(
            #", "rate": 1, "maxDuration": "1 s", "stopWhen": {"rejected": 0}, "priority": 1, "pack": false"#)
        let sent = try await campaigns.test("spring", tags: ["team", "press"], revision: nil)
        #expect(sent.key.hasPrefix("test-20"))
        #expect(sent.revision == 1)
        #expect(
            try await test.texts(
                "SELECT concat_ws('|', is_test, rate, ends_at, stop_when, state, revision) FROM push.run") == [
                    "t|running|1"
                ])
        #expect(
            try await test.texts(
                "SELECT concat_ws(' ', tag, priority, pack, run = '\(raw: sent.key)') FROM push.message ORDER BY tag")
                == ["press 1 f t", "team 1 f t"])
        #expect(
            try await test.texts("SELECT detail ->> 'tags' FROM push.audit WHERE action = 'test_campaign'")
                == [#"["team","press"]"#])
    }

    /// Each once, made at once, in one stream: what holds a campaign back holds no test back.
    @Test(arguments: [
        #""window": {"from": "03:00", "until": "03:01", "zone": "UTC"}, "rate": 1"#,
        #""local": {"time": "00:01", "default": "Europe/Berlin"}, "spread": "2 h""#,
        #""window": {"from": "03:00", "until": "03:01"}, "schedule": {"cron": "0 9 * * *", "zone": "Europe/Berlin", "local": true}"#,
        #""canary": {"share": 0.5, "least": 1}, "cap": {"count": 1, "days": 7, "group": "offers"}, "rate": 1, "ramp": "1 h""#,
    ])
    func aTestGoesAtOnceWhateverHoldsTheCampaignBack(members: String) async throws {
        let (test, campaigns) = try await Self.make()
        try await test.database.script(
            """
            SELECT push.make_list('beta');
            INSERT INTO push.list_member (list, key, tag, time_zone)
            VALUES (1, '1', 'user:1', 'Asia/Tokyo'), (1, '2', 'user:2', 'America/New_York'), (1, '3', 'user:3', NULL);
            """)
        _ = try await campaigns.create(
            "slow",
            spec: #"{"hubs": ["news"], "audience": {"list": "beta"}, "content": {"": {"title": "x"}}, \#(members)}"#,
            draft: false)
        _ = try await campaigns.test("slow", tags: ["team", "press"], revision: nil)
        #expect(try await test.texts("SELECT tag FROM push.message ORDER BY tag") == ["press", "team"])
        #expect(
            try await test.texts(
                """
                SELECT concat_ws(' ', count(*), count(DISTINCT d.due_at), bool_and(d.due_at <= clock_timestamp()), max(d.priority))
                  FROM push.due d
                """) == ["2 1 t 1"])
        #expect(
            try await test.texts("SELECT concat_ws(' ', expanded, slices, done_at IS NOT NULL, zone) FROM push.stream")
                == ["2 1 t"])
        #expect(
            try await test.texts("SELECT concat_ws(' ', state, total, is_expanded, waits_until) FROM push.run_progress")
                == ["running 2 t"])
    }

    private static let spec = """
        {"hubs": ["news", "tagged"], "audience": {"list": "beta"}, "format": "apple",
         "headers": {"apns-collapse-id": "order-{{order|0}}"},
         "content": {"en": {"aps": {"alert": "Hi {{name}}"}}, "fr": {"aps": {"alert": "Salut {{name|ami}}"}}}}
        """

    /// With people in a list, two hubs, and a text that needs a name.
    private static func makePeople() async throws -> (TestDatabase, CampaignStore) {
        let (test, campaigns) = try await Self.make()
        var tagged = TestWorker.news
        (tagged.name, tagged.localization) = ("tagged", .tags)
        _ = try await Hubs(database: test.database).register(tagged)
        try await test.database.script(
            """
            SELECT push.make_list('beta');
            INSERT INTO push.list_member (list, key, tag, locale, properties)
            VALUES (1, '42', 'user:42', 'fr-CA', '{"name": "Ada", "email": "ada@example.com", "order": 7}'),
                   (1, '43', 'user:43', NULL, '{"name": null}');
            """)
        _ = try await campaigns.create("people", spec: Self.spec, draft: false)
        return (test, campaigns)
    }

    @Test func aTestAsSomebodyHasTheirTextAndValuesAndKeepsThemInTheMessageAlone() async throws {
        let (test, campaigns) = try await Self.makePeople()
        let sent = try await campaigns.test(
            "people", tags: ["team"], revision: nil, as: .init(properties: #"{"order": "9"}"#, recipient: "42"))
        #expect(
            try await test.texts(
                "SELECT concat_ws('|', hub, tag, locale, content ->> 'name', content ->> 'order') FROM push.message ORDER BY id"
            )
                == ["news|team|Ada|9", "tagged|team|Ada|9"])
        #expect(try await test.texts("SELECT fallback FROM push.run_content") == ["fr"])
        #expect(
            try await test.texts("SELECT detail ->> 'recipient' FROM push.audit WHERE action = 'test_campaign'") == [
                "42"
            ])
        let kept = try await test.texts(
            """
            SELECT r::text FROM push.run r UNION ALL SELECT a::text FROM push.audit a UNION ALL SELECT p::text FROM push.run_progress p
             UNION ALL SELECT x::text FROM push.run_content x UNION ALL SELECT s::text FROM push.slice s
            """)
        for value in ["Ada", "ada@example.com", "fr-CA"] {
            #expect(!kept.contains { $0.contains(value) }, "\(value): \(kept)")
        }
        #expect(try await campaigns.progress("people", key: sent.key).map(\.expanded) == [2])
    }

    @Test func valuesByHandFillTheTextsAndALocaleChoosesThem() async throws {
        let (test, campaigns) = try await Self.makePeople()
        _ = try await campaigns.test("people", tags: ["team"], revision: nil, as: .init(locale: "fr"))
        #expect(
            try await test.texts("SELECT concat_ws('|', hub, locale, content) FROM push.message ORDER BY id") == [
                "news|{}", "tagged|{}",
            ])
        // Without a locale a hub by tags gets each language, and one by properties the fallback.
        _ = try await campaigns.test("people", tags: ["team"], revision: nil, as: .init(properties: #"{"name": "Bo"}"#))
        #expect(
            try await test.texts("SELECT concat_ws('|', hub, locale) FROM push.message WHERE id > 2 ORDER BY id")
                == ["news", "tagged|en", "tagged|fr"])
    }

    @Test(arguments: [
        (nil, nil, nil, "the content has {{name}}, and this test has no such property", "--property name=..."),
        (nil, nil, "43", "the content has {{name}}, and this test has no such property", "--as key:"),
        (nil, nil, "44", #"there is no recipient "44" in the audience"#, "column key"),
        (#"{"name": null}"#, nil, nil, "the content has {{name}}, and this test has no such property", ""),
        (#"["Ada"]"#, nil, nil, #"properties is a JSON array, not an object such as {"name": "Ada"}"#, ""),
        (nil, "no locale", nil, #"locale "no locale" is not a BCP 47 language tag"#, ""),
    ])
    func aTestThatWouldNotBeSentFailsAtOnceWithWhatToDo(
        properties: String?, locale: String?, recipient: String?, message: String, hint: String
    ) async throws {
        let (test, campaigns) = try await Self.makePeople()
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await campaigns.test(
                "people", tags: ["team"], revision: nil,
                as: .init(properties: properties, locale: locale, recipient: recipient))
        }
        #expect(error?.message == message)
        #expect(hint.isEmpty || error?.hint?.contains(hint) == true, "\(error?.hint ?? "no hint")")
        #expect(try await test.number("SELECT count(*) FROM push.run") == 0)
    }

    @Test func aRecipientOfAViewIsFoundByItsKeyWhateverItsType() async throws {
        let (test, campaigns) = try await Self.make()
        try await test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE VIEW marketing.people AS
            SELECT n::bigint AS key, 'user:' || n AS tag, json_build_object('name', 'No ' || n) AS properties FROM generate_series(1, 50) n;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.people TO push_audience;
            """)
        _ = try await campaigns.create(
            "view",
            spec:
                #"{"hubs": ["news"], "audience": {"view": "marketing.people"}, "content": {"": {"title": "{{name}}"}}}"#,
            draft: false)
        let owner = CampaignStore(database: try await test.login(as: "push_campaign").database)
        _ = try await owner.test("view", tags: ["team"], revision: nil, as: .init(recipient: "42"))
        #expect(try await test.texts("SELECT content ->> 'name' FROM push.message") == ["No 42"])
        for key in ["51", "x", "99999999999999999999"] {
            let error = await #expect(throws: DatabaseError.self) {
                _ = try await owner.test("view", tags: ["team"], revision: nil, as: .init(recipient: key))
            }
            #expect(error?.message == "there is no recipient \"\(key)\" in the audience")
        }
        let ofTags = await #expect(throws: DatabaseError.self) {
            _ = try await campaigns.test("spring", tags: ["team"], revision: nil, as: .init(recipient: "1"))
        }
        #expect(ofTags?.message.contains("neither a view nor a list") == true)
    }

    @Test func aSuppressedTagGetsNoTest() async throws {
        let (test, campaigns) = try await Self.make()
        try await test.database.script("SELECT push.suppress('tag', 'press')")
        _ = try await campaigns.test("spring", tags: ["team", "press"], revision: nil)
        #expect(try await test.texts("SELECT tag FROM push.message") == ["team"])
        #expect(try await test.texts("SELECT suppressed::text FROM push.run_progress") == ["1"])
    }

    @Test func aDraftWithoutAMistakeIsTestedAndStaysADraft() async throws {
        let (test, campaigns) = try await Self.make()
        let spec =
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "new"}}, "schedule": "daily 09:00 UTC"}"#
        _ = try await campaigns.create("summer", spec: spec, draft: true)
        _ = try await campaigns.create("spring", spec: spec, draft: true)
        let owner = CampaignStore(database: try await test.login(as: "push_campaign").database)
        let first = try await owner.test("summer", tags: ["team"], revision: nil)
        #expect(first.revision == 1)
        #expect(try await owner.test("spring", tags: ["press"], revision: 1).revision == 1)
        #expect(try await owner.test("spring", tags: ["press"], revision: nil).revision == 2)
        #expect(
            try await test.texts("SELECT concat_ws(' ', campaign, tag) FROM push.message ORDER BY id") == [
                "summer team", "spring press", "spring press",
            ])
        #expect(try await campaigns.list().map(\.state) == ["draft", "draft"])
        #expect(try await campaigns.progress("summer", key: first.key).map(\.state) == [.running])
        // It is still no campaign that runs.
        let refused = await #expect(throws: DatabaseError.self) { _ = try await owner.start("summer", key: "k") }
        #expect(refused?.message == "campaign summer is a draft")
    }

    @Test(arguments: [
        (#""onDoubt": "maybe""#, "onDoubt is neither"),
        // Of members that a test does not send, too.
        (#""rate": -1"#, "rate"), (#""schedule": "sometimes""#, "schedule"), (#""audience": 7"#, "audience"),
        (#""hubs": ["nowhere"]"#, "nowhere"), (#""content": {"": {"title": 1}}"#, "content"),
    ])
    func aDraftWithAMistakeIsRefusedWithThePlaceOfIt(member: String, words: String) async throws {
        let (test, campaigns) = try await Self.make()
        let right: KeyValuePairs = [
            "hubs": #"["news"]"#, "audience": #"{"tags": ["A"]}"#, "content": #"{"": {"title": "x"}}"#,
        ]
        let members = right.filter { !member.hasPrefix("\"\($0.key)\"") }.map { "\"\($0.key)\": \($0.value)" }
        let wrong = "{" + (members + [member]).joined(separator: ", ") + "}"
        _ = try await campaigns.create("spring", spec: wrong, draft: true)
        let newest = await #expect(throws: DatabaseError.self) {
            _ = try await campaigns.test("spring", tags: ["team"], revision: nil)
        }
        #expect(newest?.message.contains(words) == true, "\(newest?.message ?? "")")
        #expect(newest?.is(.checkViolation) == true)
        _ = try await campaigns.create(
            "spring", spec: #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "y"}}}"#,
            draft: false)
        let older = await #expect(throws: DatabaseError.self) {
            _ = try await campaigns.test("spring", tags: ["team"], revision: 2)
        }
        #expect(older?.message == newest?.message)
        #expect(try await test.number("SELECT count(*) FROM push.run") == 0)
    }

    @Test func itIsInNoCountAndNotTheNewestRun() async throws {
        let (test, campaigns) = try await Self.make(
            #", "schedule": {"cron": "0 9 * * *", "zone": "UTC", "overlap": "cancel"}"#)
        _ = try await campaigns.test("spring", tags: ["team"], revision: nil)
        #expect(try await campaigns.list().map(\.runs) == [0])
        #expect(try await campaigns.list().map(\.lastRun) == [nil])
        #expect(try await campaigns.progress("spring", key: nil) == [])
        #expect(try await campaigns.progress("spring", key: nil, limit: 5).map(\.isTest) == [true])
        let none = await #expect(throws: DatabaseError.self) {
            _ = try await campaigns.steer("spring", key: nil, .cancel, after: nil)
        }
        #expect(none?.message == "campaign spring has no run")
        // Neither is it in the way of one that its schedule starts, nor ended by it.
        let reader = try await test.login(as: "push_approve")
        let hash = try #require(try await campaigns.approval("spring", revision: 1)).hash
        _ = try await CampaignStore(database: reader.database).approve("spring", revision: 1, hash: hash, note: nil)
        let schedules = Schedules(database: test.database)
        let nine: Int64 = 1_893_488_400
        _ = try await schedules.fire([.init(campaign: 1, expected: nil, next: nine, firesAt: Double(nine))])
        let fired = try await schedules.fire([.init(campaign: 1, expected: nine, scheduled: nine)])
        #expect(fired.map(\.state) == ["running"])
        #expect(fired.map(\.why) == [nil])
        #expect(try await test.texts("SELECT state::text FROM push.run ORDER BY id") == ["running", "running"])
        #expect(
            try await test.texts(
                "SELECT concat_ws(' ', started, known) FROM push.backfill_campaign('spring', '{2026-01-01 09:00Z}')")
                == ["1 0"])
        #expect(try await test.texts("SELECT concat_ws(' ', runs, run_state) FROM push.campaigns") == ["2 waiting"])
    }

    @Test(arguments: [
        (#"{"tags": ["A", "B"]}"#, ["team", "B"], "tag B is in the audience of campaign spring"),
        (#"{"expression": "(World && !muted)"}"#, ["World"], "tag World is in the audience of campaign spring"),
        (#"{"tags": ["A"]}"#, ["a b"], #"audience.tags has "a b", which is not a tag"#),
        (#"{"tags": ["A"]}"#, [], "audience.tags is not a list of tags"),
    ])
    func theAudienceOfTheCampaignIsNoTestAudience(audience: String, tags: [String], message: String) async throws {
        let (test, campaigns) = try await Self.make()
        _ = try await campaigns.create(
            "spring", spec: #"{"hubs": ["news"], "audience": \#(audience), "content": {"": {"title": "y"}}}"#,
            draft: false)
        let refused = await #expect(throws: DatabaseError.self) {
            _ = try await campaigns.test("spring", tags: tags, revision: nil)
        }
        #expect(refused?.message == message)
        #expect(try await test.number("SELECT count(*) FROM push.run") == 0)
    }

    @Test func onlyRevisionsThatThereAreAreTestedAndNoneOfACampaignThatWasPutAway() async throws {
        let (test, campaigns) = try await Self.make()
        let unknown = await #expect(throws: DatabaseError.self) {
            _ = try await campaigns.test("spring", tags: ["team"], revision: 4)
        }
        #expect(unknown?.message == "campaign spring has no revision 4")
        let owner = try await test.login(as: "push_campaign")
        #expect(
            try await CampaignStore(database: owner.database).test("spring", tags: ["team"], revision: 1).revision == 1)
        let reader = try await test.login(as: "push_approve")
        let noRole = await #expect(throws: DatabaseError.self) {
            _ = try await CampaignStore(database: reader.database).test("spring", tags: ["team"], revision: 1)
        }
        #expect(noRole?.is(.insufficientPrivilege) == true)
        try await test.database.execute("UPDATE push.run SET state = 'done', ended_at = now()")
        try await campaigns.archive("spring")
        let archived = await #expect(throws: DatabaseError.self) {
            _ = try await campaigns.test("spring", tags: ["team"], revision: nil)
        }
        #expect(archived?.message == "campaign spring is archived")
    }
}
