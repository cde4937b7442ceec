import Postgres
import Store
import TestSupport
import Testing

/// Which revision of a campaign is sent, where somebody has to read it first.
@Suite struct ApprovalTests {
    /// Who makes campaigns, who approves them, and who may do both.
    struct People {
        let test: TestDatabase
        let author: CampaignStore
        let reader: CampaignStore
        let both: CampaignStore
        let bothDatabase: Database

        static func make() async throws -> People {
            let test = try await TestDatabase.make()
            _ = try await Hubs(database: test.database).register(TestWorker.news)
            let author = try await test.login(as: "push_campaign")
            let reader = try await test.login(as: "push_approve")
            let both = try await test.login(as: "push_audience")
            try await test.database.script("GRANT push_campaign, push_approve TO \(both.login("push_audience"))")
            return People(
                test: test, author: CampaignStore(database: author.database),
                reader: CampaignStore(database: reader.database), both: CampaignStore(database: both.database),
                bothDatabase: both.database)
        }

        /// Makes the next revision; its title is the number.
        @discardableResult
        func make(
            _ approval: String?, by who: KeyPath<People, CampaignStore> = \.author, schedule: String? = nil,
            draft: Bool = false
        ) async throws -> Int32 {
            let next = try await test.number("SELECT count(*) + 1 FROM push.campaign_revision")
            let members =
                (approval.map { #", "approval": "\#($0)""# } ?? "")
                + (schedule.map { #", "schedule": "\#($0)""# } ?? "")
            let spec = """
                {"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "\(next)"}}\(members)}
                """
            return try await self[keyPath: who].create("spring", spec: spec, draft: draft).revision
        }

        @discardableResult
        func approve(_ revision: Int32, by who: KeyPath<People, CampaignStore> = \.reader) async throws -> Bool {
            let hash = try await self[keyPath: who].approval("spring", revision: revision)?.hash ?? "none"
            return try await self[keyPath: who].approve("spring", revision: revision, hash: hash, note: nil)
        }

        /// The revision that a run takes; 0: none.
        func toRun() async throws -> Int64 { try await test.number("SELECT coalesce(push.revision_to_run(1), 0)") }

        func asks(_ revision: Int32) async throws -> String? {
            try await reader.approval("spring", revision: revision)?.asks
        }

        /// Also that lists and metrics say so.
        func unapproved() async throws -> String? {
            let why = try await author.unapproved("spring")
            #expect(try await author.list().map(\.unapproved) == [why])
            #expect(try await DatabasePulse.take(from: test.database).campaignsUnapproved == (why == nil ? 0 : 1))
            return why?.replacing("\(test.name)_", with: "")
        }
    }

    @Test func whatAsksForNothingIsSentAsItIs() async throws {
        let people = try await People.make()
        try await people.make(nil)
        #expect(try await people.make("none") == 2)
        #expect(try await people.toRun() == 2)
        #expect(try await people.unapproved() == nil)
        #expect(try await people.author.start("spring", key: "k"))
    }

    @Test func whatAsksForOneIsSentWhenSomebodyApprovedItAndThatMayBeItsMaker() async throws {
        let people = try await People.make()
        try await people.make("one", by: \.both)
        let refused = await #expect(throws: DatabaseError.self) {
            _ = try await people.both.start("spring", key: "k")
        }
        #expect(refused?.message == "campaign spring: revision 1 is not approved: nothing is sent")
        #expect(refused?.hint?.contains("fanfare campaign approve spring --revision 1") == true)
        #expect(try await people.test.number("SELECT count(*) FROM push.run") == 0)
        #expect(try await people.approve(1, by: \.both))
        #expect(try await people.both.start("spring", key: "k"))
    }

    @Test func whatAsksForTwoIsNotApprovedByItsMakerNorUnderASharedRole() async throws {
        let people = try await People.make()
        try await people.make("two", by: \.both)
        let own = await #expect(throws: DatabaseError.self) { try await people.approve(1, by: \.both) }
        #expect(own?.message.contains("made revision 1 of campaign spring") == true)
        #expect(own?.hint?.contains("somebody else") == true)
        // Made under a role that others have, too: the login is the same.
        try await people.bothDatabase.script(
            """
            SET ROLE push_campaign;
            SELECT push.create_campaign('spring', (spec::jsonb || '{"priority": 1}')::json) FROM push.campaign_revision;
            RESET ROLE
            """)
        #expect(
            try await people.test.texts("SELECT by FROM push.campaign_revision WHERE revision = 2") == ["push_campaign"]
        )
        let shared = await #expect(throws: DatabaseError.self) { try await people.approve(2, by: \.both) }
        #expect(shared?.message == "push_campaign made revision 2 of campaign spring")
        #expect(try await people.toRun() == 0)
        #expect(try await people.approve(2))
        #expect(try await people.toRun() == 2)
    }

    @Test func anEditThatNobodyApprovedIsNotSentAndNeitherIsItsSchedule() async throws {
        let people = try await People.make()
        try await people.make("two", schedule: "daily 09:00 UTC")
        try await people.approve(1)
        try await people.test.database.script(
            "UPDATE push.campaign SET next_at = '2030-01-01 09:00Z', fires_at = '2030-01-01 09:00Z'")
        try await people.make("two", schedule: "daily 10:00 UTC")
        #expect(try await people.author.start("spring", key: "k"))
        #expect(try await people.test.number("SELECT revision FROM push.run") == 1)
        let why = "revision 2 is not approved: revision 1 is sent"
        #expect(try await people.unapproved() == why)
        #expect(try await people.author.list().map(\.unapproved) == [why])
        #expect(try await people.author.progress("spring", key: nil).map(\.unapproved) == [why])
        #expect(try await people.author.check("spring").filter { $0.about == "approval" }.map(\.finding) == [why])
        #expect(
            try await people.author.revisions(of: "spring").map { "\($0.revision) \($0.isSent)" } == [
                "2 false", "1 true",
            ])
        // The time of the approved one stands, until the other is approved.
        let schedule: SQL =
            "SELECT concat_ws(' ', push_internal.schedule_of(1) ->> 'cron', extract(year FROM nullif(next_at, '-infinity'))) FROM push.campaign"
        #expect(try await people.test.texts(schedule) == ["0 9 * * * 2030"])
        #expect(try await people.test.texts("SELECT schedule::text FROM push.campaign_next") == [#""daily 09:00 UTC""#])
        try await people.approve(2)
        #expect(try await people.test.texts(schedule) == ["0 10 * * *"])
        #expect(try await people.unapproved() == nil)
        // A key joins its run all the same, and a new one sends the new revision.
        #expect(try await people.author.start("spring", key: "new"))
        #expect(try await people.test.number("SELECT max(revision) FROM push.run") == 2)
        let used = await #expect(throws: DatabaseError.self) { _ = try await people.author.start("spring", key: "k") }
        #expect(used?.message.contains("was used for revision 1") == true)
    }

    /// What each revision asks for by itself, which are approved, and what the last one asks for.
    @Test(arguments: [
        (["none", "one"], [], "one"), (["none", "two"], [], "two"), (["two", "none"], [1], "two"),
        (["one", "none"], [1], "one"), (["one", "two"], [1], "two"), (["two", "one"], [1], "two"),
        (["two", "none"], [], "two"), (["none", "two", "none"], [], "two"), (["two", "none", "none"], [1], "two"),
        (["two", "none", "none"], [1, 2], "none"), (["two", "one", "none"], [1, 2], "one"),
    ])
    func theRuleCannotBeTakenOutByAnEdit(own: [String], approved: [Int32], last: String) async throws {
        let people = try await People.make()
        for (n, approval) in own.enumerated() {
            try await people.make(approval)
            if approved.contains(Int32(n + 1)) { try await people.approve(Int32(n + 1)) }
        }
        #expect(try await people.asks(Int32(own.count)) == last)
        let before = approved.max() ?? (own[0] == "none" ? 1 : 0)
        #expect(try await people.toRun() == (last == "none" ? Int64(own.count) : Int64(before)))
    }

    @Test func theNewestVerdictCountsAndARejectionFreesNothing() async throws {
        let people = try await People.make()
        try await people.make("two")
        try await people.approve(1)
        try await people.make("two")
        try await people.approve(2)
        _ = try await people.author.start("spring", key: "k")
        #expect(try await people.reader.reject("spring", revision: 2, note: "wrong link"))
        #expect(try await people.reader.reject("spring", revision: 2, note: nil) == false)
        #expect(try await people.toRun() == 1)
        #expect(
            try await people.unapproved() == "revision 2 was rejected by push_approve: wrong link: revision 1 is sent")
        // What has begun goes on, and a second start joins it only under the revision that is sent.
        #expect(try await people.test.texts("SELECT state::text FROM push.run") == ["running"])
        #expect(try await people.reader.reject("spring", revision: 1, note: nil))
        #expect(try await people.toRun() == 0)
        #expect(try await people.author.start("spring", key: "k") == false)
        try await people.make("none")
        #expect(try await people.asks(3) == "two")
        #expect(try await people.approve(2))
        #expect(try await people.toRun() == 2)
        // Nothing is changed or deleted, not even by the owner.
        #expect(
            try await people.test.texts("SELECT concat_ws(' ', revision, verdict, note) FROM push.approval ORDER BY id")
                == [
                    "1 approved", "2 approved", "2 rejected wrong link", "1 rejected", "2 approved",
                ])
        #expect(
            try await people.test.texts(
                "SELECT DISTINCT action FROM push.audit WHERE action IN ('approve', 'reject') ORDER BY 1")
                == ["approve", "reject"])
        for statement in ["UPDATE push.approval SET verdict = 'approved'", "DELETE FROM push.approval"] {
            let refused = await #expect(throws: DatabaseError.self) { try await people.test.database.script(statement) }
            #expect(refused?.message.hasSuffix(" of push.approval is refused") == true)
        }
    }

    @Test func aRevisionThatAsksForNothingCanBeRejectedToo() async throws {
        let people = try await People.make()
        try await people.make(nil)
        try await people.make(nil)
        #expect(try await people.reader.reject("spring", revision: 2, note: nil))
        #expect(try await people.toRun() == 1)
        #expect(try await people.approve(2))
        #expect(try await people.toRun() == 2)
    }

    @Test func anOldHashAnUnknownRevisionASecondApprovalAndALoginWithoutTheRoleChangeNothing() async throws {
        let people = try await People.make()
        try await people.make("one")
        let now = try #require(try await people.reader.approval("spring", revision: 1)).hash
        let old = await #expect(throws: DatabaseError.self) {
            _ = try await people.reader.approve("spring", revision: 1, hash: "x", note: nil)
        }
        #expect(old?.is(.objectNotInPrerequisiteState) == true)
        #expect(old?.hint == "Look again: its hash is \(now) now.")
        let unknown = await #expect(throws: DatabaseError.self) {
            _ = try await people.reader.approve("spring", revision: 7, hash: now, note: nil)
        }
        #expect(unknown?.message == "campaign spring has no revision 7")
        #expect(unknown?.hint == "Its newest is 1.")
        let noRole = await #expect(throws: DatabaseError.self) { try await people.approve(1, by: \.author) }
        #expect(noRole?.is(.insufficientPrivilege) == true)
        let noStart = await #expect(throws: DatabaseError.self) {
            _ = try await people.reader.start("spring", key: "k")
        }
        #expect(noStart?.is(.insufficientPrivilege) == true)
        #expect(try await people.test.number("SELECT count(*) FROM push.approval") == 0)
        #expect(try await people.approve(1))
        #expect(try await people.approve(1) == false)
        #expect(try await people.approve(1, by: \.both) == false)
        #expect(try await people.test.number("SELECT count(*) FROM push.approval") == 1)
    }

    /// The settings of hubs that change what is sent.
    @Test(arguments: [
        ("fallback", "fr"), ("propertyPattern", "{language}_{property}"), ("languages", ""), ("localization", ""),
        ("plainFallback", ""),
    ])
    func aChangedSettingOfAHubAsksForTheApprovalAgain(setting: String, value: String) async throws {
        let people = try await People.make()
        try await people.make("two", schedule: "daily 09:00 UTC")
        try await people.approve(1)
        var hub = TestWorker.news
        switch setting {
        case "fallback": hub.fallback = value
        case "propertyPattern": hub.propertyPattern = value
        case "localization": hub.localization = .tags
        case "plainFallback": hub.plainFallback = false
        default: hub.languages["fr"] = "Francais"
        }
        let hubs = Hubs(database: people.test.database)
        // What nothing is sent by changes nothing.
        var slower = TestWorker.news
        slower.expireAfterSeconds = 7
        _ = try await hubs.register(slower)
        #expect(try await people.toRun() == 1)
        try await people.test.database.script(
            "UPDATE push.campaign SET next_at = now() + interval '1 h', fires_at = now() + interval '1 h'")
        _ = try await hubs.register(hub)
        let changed = "\(setting) of hub news"
        #expect(
            try await people.unapproved()
                == "revision 1 was approved by push_approve, and then \(changed) changed: nothing is sent")
        #expect(try await people.test.texts("SELECT next_at::text FROM push.campaign") == ["-infinity"])
        let changes = try await people.reader.changes("spring", revision: 1).map(\.path)
        #expect(changes.count == 1)
        #expect(changes.first?.hasPrefix("settings.news.\(setting)") == true, "\(changes)")
        #expect(try await people.approve(1))
        #expect(try await people.toRun() == 1)
        #expect(try await people.reader.changes("spring", revision: 1) == [])
    }

    @Test func aRuleThatWasTakenOutWithApprovalStaysOutWhenAHubChanges() async throws {
        let people = try await People.make()
        try await people.make("two")
        try await people.approve(1)
        try await people.make("none")
        try await people.approve(2)
        try await people.make(nil)
        var hub = TestWorker.news
        hub.fallback = "fr"
        _ = try await Hubs(database: people.test.database).register(hub)
        #expect(try await people.asks(3) == "none")
        #expect(try await people.toRun() == 3)
    }

    @Test func aDraftIsNotWhatIsSentInsteadOfAnUnapprovedRevision() async throws {
        let people = try await People.make()
        try await people.make(nil)
        try await people.make(nil, draft: true)
        try await people.make("one")
        #expect(try await people.toRun() == 1)
        #expect(try await people.reader.approval("spring", revision: 3)?.base == 1)
        #expect(try await people.author.start("spring", key: "k"))
        #expect(try await people.test.number("SELECT revision FROM push.run") == 1)
        // Made ready, it is.
        let second = try await people.test.texts("SELECT spec::text FROM push.campaign_revision WHERE revision = 2")
        #expect(try await people.author.create("spring", spec: second[0], draft: true).revision == 4)
        #expect(try await people.author.create("spring", spec: second[0], draft: false).revision == 4)
        #expect(
            try await people.test.texts("SELECT is_draft::text FROM push.campaign_revision ORDER BY revision") == [
                "false", "true", "false", "false",
            ])
    }

    @Test func aReaderSeesWhatChangedSinceTheLastApproval() async throws {
        let people = try await People.make()
        try await people.make("two")
        #expect(try await people.reader.approval("spring", revision: 1)?.base == nil)
        let first = try await people.reader.changes("spring", revision: 1)
        #expect(first.contains(.init(path: #"content."".title"#, before: nil, after: #""1""#)))
        try await people.approve(1)
        try await people.make("two")
        try await people.make("none", schedule: "daily 09:00 UTC")
        #expect(try await people.reader.approval("spring", revision: 3)?.base == 1)
        #expect(
            try await people.reader.changes("spring", revision: 3) == [
                .init(path: "approval", before: #""two""#, after: #""none""#),
                .init(path: #"content."".title"#, before: #""1""#, after: #""3""#),
                .init(path: "schedule", before: nil, after: #""daily 09:00 UTC""#),
            ])
    }

    @Test func whatItsTimeFindsUnapprovedIsSaidAndWhereNothingIsApprovedTheRunFailed() async throws {
        let people = try await People.make()
        try await people.make("two", schedule: "daily 09:00 UTC")
        try await people.approve(1)
        try await people.make("two", schedule: "daily 09:00 UTC")
        let nine: Int64 = 1_893_488_400
        let schedules = Schedules(database: people.test.database)
        func fire(_ expected: Int64?, _ starting: Int64?, _ next: Int64) async throws -> [Schedules.Fired] {
            try await schedules.fire([
                .init(campaign: 1, expected: expected, scheduled: starting, next: next, firesAt: Double(next))
            ])
        }
        _ = try await fire(nil, nil, nine)
        let first = try await fire(nine, nine, nine + 86_400)
        #expect(first.map(\.state) == ["running"])
        #expect(first.map(\.why) == ["revision 2 is not approved: revision 1 is sent"])
        #expect(try await people.test.number("SELECT revision FROM push.run") == 1)
        try await people.test.database.script("UPDATE push.run SET state = 'done', ended_at = now(), closed_at = now()")
        _ = try await people.reader.reject("spring", revision: 1, note: nil)
        let second = try await fire(nine + 86_400, nine + 86_400, nine + 2 * 86_400)
        #expect(second.map(\.state) == ["failed"])
        #expect(second.map(\.why) == ["campaign spring: revision 2 is not approved: nothing is sent"])
        #expect(
            try await people.test.texts("SELECT why FROM push.run WHERE state = 'failed'") == [
                "campaign spring: revision 2 is not approved: nothing is sent"
            ])
    }

    @Test func theStatementThatKeepsAndStartsSendsNoOtherRevision() async throws {
        let people = try await People.make()
        try await people.make("one")
        try await people.approve(1)
        let refused = await #expect(throws: DatabaseError.self) {
            try await people.test.database.script(
                #"SELECT push.run_campaign('spring', 'k', 'news', '{A}', '{"": {"title": "new"}}')"#)
        }
        #expect(refused?.message == "campaign spring: revision 2 is not approved: revision 1 is sent")
        #expect(try await people.test.number("SELECT count(*) FROM push.run") == 0)
    }

    @Test(arguments: ["true", #""three""#, "2", "null"])
    func anApprovalThatIsNoneOfTheWordsIsRefused(written: String) async throws {
        let people = try await People.make()
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await people.author.create(
                "spring",
                spec:
                    #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "x"}}, "approval": \#(written)}"#,
                draft: false)
        }
        #expect(error?.message == "approval is \(written), not \"none\", \"one\" or \"two\"")
    }
}

extension TestDatabase {
    /// The name of `login(as:)`.
    fileprivate func login(_ role: String) -> String { "\(name)_\(role)" }
}
