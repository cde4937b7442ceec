import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What the page of one campaign reads.
@Suite struct CampaignOfPageTests {
    private static func make(_ members: String = "") async throws -> (TestDatabase, CampaignStore) {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        let campaigns = CampaignStore(database: test.database)
        try await create(campaigns, members)
        return (test, campaigns)
    }

    private static func create(_ campaigns: CampaignStore, _ members: String, draft: Bool = false) async throws {
        _ = try await campaigns.create(
            "spring",
            spec: #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "x"}}\#(members)}"#,
            draft: draft)
    }

    @Test func thoseWhoMayLookReadItsStateItsRunsAndItsSchedule() async throws {
        let (test, campaigns) = try await Self.make(#", "schedule": "daily 09:00 Europe/Berlin""#)
        for key in 1...3 { _ = try await campaigns.start("spring", key: "\(key)") }
        let viewer = CampaignStore(database: try await test.login(as: "push_monitor").database)
        #expect(try await viewer.campaign("spring")?.runs == 3)
        #expect(try await viewer.newestRuns(of: "spring", limit: 2).map(\.key) == ["3", "2"])
        let schedule = try await viewer.scheduleInForce(of: "spring")
        #expect(schedule?.schedule == Schedules.Text(cron: "0 9 * * *", zone: "Europe/Berlin"))
        try await campaigns.pauseSchedule("spring", note: "why")
        #expect(try await viewer.scheduleInForce(of: "spring")?.pausedAt != nil)
        #expect(try await viewer.campaign("winter") == nil)
        #expect(try await viewer.campaign("a\0") == nil)
    }

    @Test func theScheduleOfADraftIsNotInForce() async throws {
        let (_, campaigns) = try await Self.make()
        try await Self.create(campaigns, #", "schedule": {"cron": "0 9 * * *", "jitter": "long"}"#, draft: true)
        #expect(try await campaigns.scheduleInForce(of: "spring") == nil)
    }

    @Test func theRevisionThatIsSentAndTheOneThatIsAskedForAreAmongTheFirst() async throws {
        let (_, campaigns) = try await Self.make()
        for rate in 2...6 { try await Self.create(campaigns, #", "rate": \#(rate), "approval": "one""#) }
        let some = try await campaigns.approvals(of: "spring", with: 3, limit: 3)
        #expect(some.map(\.revision) == [3, 1, 6] && some.map(\.isSent) == [false, true, false])
        #expect(try await campaigns.approvals(of: "spring").map(\.revision) == [1, 6, 5, 4, 3, 2])
        #expect(
            try await campaigns.approvals(of: "spring", with: 3).first { $0.revision == 3 }
                == campaigns.approval("spring", revision: 3))
    }

    @Test func otherTimesKeepTheRestOfTheSchedule() async throws {
        let (test, campaigns) = try await Self.make(
            #", "schedule": {"at": "2030-01-01T09:00:00Z", "jitter": "5 min", "misfire": "all"}"#)
        let kept = try await campaigns.reschedule("spring", to: .cron("0 9 * * 1"), zone: "UTC")
        #expect(kept.revision == 2 && kept.changed)
        #expect(
            try await campaigns.scheduled("spring")?.schedule
                == Schedules.Text(cron: "0 9 * * 1", zone: "UTC", jitter: 300, misfire: "all"))
        #expect(try await campaigns.reschedule("spring", to: .cron("0 9 * * 1"), zone: "UTC").changed == false)
        try await Self.create(campaigns, "")
        _ = try await campaigns.reschedule("spring", to: .cron("0 7 * * *"), zone: "UTC")
        #expect(try await campaigns.scheduled("spring")?.schedule == Schedules.Text(cron: "0 7 * * *", zone: "UTC"))
        #expect(try await test.number("SELECT count(*) FROM push.audit WHERE action = 'create_campaign'") == 4)
    }
}
