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
        _ = try await Runs(database: test.database).expand(1, upTo: 100)
        #expect(
            try await test.texts(
                "SELECT concat_ws(' ', tag, priority, pack, run = '\(raw: sent.key)') FROM push.message ORDER BY tag")
                == ["press 1 f t", "team 1 f t"])
        #expect(
            try await test.texts("SELECT detail ->> 'tags' FROM push.audit WHERE action = 'test_campaign'")
                == [#"["team","press"]"#])
    }

    @Test func aDraftWithAMistakeIsRefusedWithThePlaceOfIt() async throws {
        let (test, campaigns) = try await Self.make()
        let spec =
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "x"}}, "onDoubt": "maybe"}"#
        _ = try await campaigns.create("spring", spec: spec, draft: true)
        _ = try await campaigns.create("spring", spec: spec.replacing("maybe", with: "hold"), draft: false)
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await campaigns.test("spring", tags: ["team"], revision: 2)
        }
        #expect(error?.message.contains("onDoubt is neither") == true, "\(error?.message ?? "")")
        #expect(try await test.number("SELECT count(*) FROM push.run") == 0)
    }

    @Test func itIsInNoCountAndNotTheNewestRun() async throws {
        let (test, campaigns) = try await Self.make(
            #", "schedule": {"cron": "0 9 * * *", "zone": "UTC", "overlap": "cancel"}"#)
        _ = try await campaigns.test("spring", tags: ["team"], revision: nil)
        #expect(try await campaigns.all().map(\.runs) == [0])
        #expect(try await campaigns.all().map(\.lastRun) == [nil])
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
        (#"{"tags": ["A"]}"#, [], "audience.tags is no list of tags"),
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

    @Test func onlyRevisionsThatThereAreAndCampaignsThatAreReadyAreTested() async throws {
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
        _ = try await campaigns.create("spring", spec: #"{"hubs": []}"#, draft: true)
        let draft = await #expect(throws: DatabaseError.self) {
            _ = try await campaigns.test("spring", tags: ["team"], revision: nil)
        }
        #expect(draft?.message == "campaign spring is a draft")
    }
}
