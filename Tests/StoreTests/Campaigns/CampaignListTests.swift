import Postgres
import Store
import TestSupport
import Testing

/// Finding one campaign among a thousand: tags, states, and those that are put away.
@Suite struct CampaignListTests {
    /// For tests that leave nothing in it.
    private static let untouched = Task { try await make("a") }

    private static let spec = #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"a": "b"}}}"#

    private static func make(_ names: String...) async throws -> (TestDatabase, CampaignStore) {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        let campaigns = CampaignStore(database: test.database)
        for name in names { _ = try await campaigns.create(name, spec: spec, draft: false) }
        return (test, campaigns)
    }

    private static func names(
        _ campaigns: CampaignStore, _ filter: CampaignStore.Filter = CampaignStore.Filter()
    ) async throws -> [String] {
        try await campaigns.list(filter).map(\.name)
    }

    @Test func anArchivedCampaignIsLeftOutAndComesBackAsItWas() async throws {
        let (test, campaigns) = try await Self.make("a", "b")
        _ = try await campaigns.create("c", spec: #"{"hubs": ["nws"]}"#, draft: true)
        for name in ["b", "c"] { try await campaigns.archive(name) }
        try await campaigns.archive("b")
        #expect(try await Self.names(campaigns) == ["a"])
        #expect(try await Self.names(campaigns, .init(archived: .only)) == ["b", "c"])
        #expect(try await campaigns.list(.init(archived: .included)).map(\.state) == ["ready", "archived", "archived"])
        for name in ["a", "b", "c"] { try await campaigns.unarchive(name) }
        #expect(try await campaigns.list().map(\.state) == ["ready", "ready", "draft"])
        #expect(
            try await test.texts(
                "SELECT concat_ws(' ', action, detail ->> 'campaign') FROM push.audit WHERE action LIKE '%archive%' ORDER BY id"
            )
                == ["archive_campaign b", "archive_campaign c", "unarchive_campaign b", "unarchive_campaign c"])
    }

    @Test func tagsFindACampaign() async throws {
        let (test, campaigns) = try await Self.make("a", "b")
        #expect(
            try await campaigns.tag("a", adding: ["spring-2026", "retention"], removing: []) == [
                "retention", "spring-2026",
            ])
        #expect(try await campaigns.tag("b", adding: ["retention"], removing: ["never-had"]) == ["retention"])
        #expect(try await campaigns.tag("b", adding: ["retention"], removing: []) == ["retention"])
        #expect(try await Self.names(campaigns, .init(tags: ["retention"])) == ["a", "b"])
        #expect(try await Self.names(campaigns, .init(tags: ["retention", "spring-2026"])) == ["a"])
        #expect(try await Self.names(campaigns, .init(tags: ["other"])) == [])
        #expect(try await campaigns.list().map(\.tags) == [["retention", "spring-2026"], ["retention"]])
        #expect(try await campaigns.tag("a", adding: [], removing: ["retention"]) == ["spring-2026"])
        #expect(try await test.number("SELECT count(*) FROM push.audit WHERE action = 'tag_campaign'") == 3)
    }

    @Test func aTagChangesNothingThatWasApproved() async throws {
        let (test, campaigns) = try await Self.make("a")
        let hash: SQL = "SELECT concat_ws(' ', revision, hash, is_sent) FROM push.approvals"
        let before = try await test.texts(hash)
        _ = try await campaigns.tag("a", adding: ["x"], removing: [])
        #expect(try await test.texts(hash) == before)
        #expect(try await campaigns.create("a", spec: Self.spec, draft: false).changed == false)
        #expect(try await campaigns.list().map(\.tags) == [["x"]])
    }

    @Test(arguments: ["", "Spring", "a b", "-a", "_a", "a,b", "é", String(repeating: "a", count: 64)])
    func aTagThatIsNoPlainWordIsRefused(_ tag: String) async throws {
        let (_, campaigns) = try await Self.untouched.value
        let error = await #expect(throws: DatabaseError.self) {
            try await campaigns.tag("a", adding: ["ok", tag], removing: [])
        }
        #expect(error?.message.hasPrefix("a tag of a campaign is 1 to 63 of a-z 0-9 _ -, not \"") == true)
        #expect(error?.hint?.isEmpty == false)
        #expect(try await campaigns.list().map(\.tags) == [[]])
    }

    @Test func aCampaignHasTwentyTagsAtMost() async throws {
        let (_, campaigns) = try await Self.make("a")
        _ = try await campaigns.tag("a", adding: (1...20).map { "t\($0)" }, removing: [])
        let error = await #expect(throws: DatabaseError.self) {
            try await campaigns.tag("a", adding: ["more"], removing: [])
        }
        #expect(error?.message == "campaign a would have 21 tags")
        #expect(try await campaigns.tag("a", adding: ["more"], removing: ["t1"]).count == 20)
    }

    @Test func statesAreThoseOfTheNewestRunOrOfTheCampaign() async throws {
        let (test, campaigns) = try await Self.make("done", "never", "running", "unapproved")
        _ = try await campaigns.create("draft", spec: #"{"hubs": ["nws"]}"#, draft: true)
        _ = try await campaigns.create(
            "unapproved", spec: Self.spec.replacing("}}}", with: #"}}, "approval": "one"}"#), draft: false)
        for name in ["done", "running"] { _ = try await campaigns.start(name, key: "k") }
        try await test.database.script(
            "UPDATE push.run SET state = 'done', ended_at = now(), closed_at = now() WHERE campaign = 1")
        for (state, names) in [
            ("done", ["done"]), ("running", ["running"]), ("draft", ["draft"]), ("unapproved", ["unapproved"]),
            ("paused", []), ("ready", ["done", "never", "running", "unapproved"]),
        ] { #expect(try await Self.names(campaigns, .init(state: state)) == names, "\(state)") }
        #expect(CampaignStore.Filter.states.contains("cancelling"))
    }
}
