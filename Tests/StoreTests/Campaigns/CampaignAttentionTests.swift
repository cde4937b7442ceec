import PushModel
import TestSupport
import Testing

@testable import Store

/// What of campaigns waits for a person, read with the rights of those who look.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CampaignAttentionTests {
    private static func fixture() async throws -> StoreFixture {
        let store = try await StoreFixture.make()
        for (name, more) in [
            ("asking", #", "approval": "one""#), ("daily", #", "schedule": {"cron": "0 8 * * *", "zone": "UTC"}"#),
            ("spring", ""),
        ] {
            let spec = #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "x"}}"# + more + "}"
            try await store.database.execute("SELECT push.create_campaign(\(name), (\(spec))::json)")
        }
        return store
    }

    @Test func aMonitorSeesRunsThatHaveNotEnded() async throws {
        let store = try await Self.fixture()
        for key in ["first", "second", "third"] {
            try await store.database.execute("SELECT push.start_run('spring', \(key))")
        }
        try await store.database.execute(
            "UPDATE push.run SET state = 'done', ended_at = now(), closed_at = now() WHERE key = 'second'")
        let monitor = try await store.test.login(as: "push_monitor")
        let runs = try await CampaignStore(database: monitor.database).openRuns(limit: 10)
        #expect(Set(runs.map(\.key)) == ["first", "third"] && runs.map(\.key).first == "third")
        #expect(runs.allSatisfy { $0.campaign == "spring" && $0.unserved == ["news"] && $0.stateSince != nil })
        #expect(try await CampaignStore(database: monitor.database).openRuns(limit: 1).map(\.key) == ["third"])
        await monitor.database.close()
    }

    @Test func aRunOfWhichNothingWasSentIsSeenForADay() async throws {
        let store = try await Self.fixture()
        for key in ["today", "before"] {
            try await store.database.execute("SELECT push.start_run('spring', \(key))")
        }
        try await store.database.execute(
            """
            UPDATE push.run SET state = 'failed', why = 'nothing could be sent', closed_at = now(),
                   ended_at = now() - CASE key WHEN 'before' THEN interval '25 h' ELSE '1 h' END
            """)
        let monitor = try await store.test.login(as: "push_monitor")
        let failed = try await CampaignStore(database: monitor.database).failedRuns(limit: 10)
        #expect(failed.map(\.key) == ["today"] && failed.map(\.why) == ["nothing could be sent"])
        await monitor.database.close()
    }

    @Test func aScheduleThatSaysSomethingIsSeenOnce() async throws {
        let store = try await Self.fixture()
        let monitor = try await store.test.login(as: "push_monitor")
        let campaigns = CampaignStore(database: monitor.database)
        #expect(try await campaigns.scheduleNotes(limit: 10) == [])
        try await store.database.execute(
            """
            UPDATE push.campaign SET schedule_why = 'run "x" was missed',
                   upcoming = ARRAY[now() + interval '1 h', now() + interval '2 h'] WHERE name = 'daily'
            """)
        let notes = try await campaigns.scheduleNotes(limit: 10)
        #expect(notes == [.init(campaign: "daily", why: "run \"x\" was missed", pausedAt: nil)])
        await monitor.database.close()
    }

    @Test func whoApprovesSeesWhatWaits() async throws {
        let store = try await Self.fixture()
        let approver = try await store.test.login(as: "push_approve")
        let waiting = try await CampaignStore(database: approver.database).unapproved(limit: 10)
        #expect(waiting.map(\.campaign) == ["asking"] && waiting.map(\.asks) == ["one"])
        #expect(waiting.map(\.standing) == ["not approved"] && waiting.map(\.revision) == [1])
        await approver.database.close()
    }
}
