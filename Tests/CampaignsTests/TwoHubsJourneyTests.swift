import Campaigns
import HubEmulator
import Postgres
import Store
import TestSupport
import Testing

/// Runs on two hubs that several workers expand at the same time, and persons who steer them.
@Suite(.timeLimit(.minutes(10))) struct TwoHubsJourneyTests {
    private static func make(people: Int32) async throws -> TestWorker {
        var app = TestWorker.news
        (app.name, app.hub) = ("app", "breaking-news-app")
        let worker = try await TestWorker.make(TestWorker.news, app)
        try await CampaignJourneyTests.people(people, on: worker)
        _ = try await CampaignStore(database: worker.test.database).create(
            "spring",
            spec: #"""
                {"hubs": ["news", "app"], "audience": {"view": "marketing.lapsed"},
                 "content": {"": {"title": "Hi {{name|friend}}"}}}
                """#, draft: false)
        return worker
    }

    /// Slices that are made at once overlap in their ids: each counts the messages of its own stream.
    @Test func theyEndWithTwoWorkers() async throws {
        let worker = try await Self.make(people: 1_500)
        let campaigns = CampaignStore(database: worker.test.database)
        try await CampaignJourneyTests.working(worker, expanders: 2) {
            for key in ["a", "b", "c"] { _ = try await campaigns.start("spring", key: key) }
            try await worker.until("SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL") { $0 == 3 }
        }
        let shown = try await worker.test.texts(
            "SELECT concat_ws(' ', key, state, expanded, accepted, under_way, pending) FROM push.run_progress ORDER BY key"
        )
        #expect(shown == ["a done 3000 3000 0 0", "b done 3000 3000 0 0", "c done 3000 3000 0 0"])
        #expect(try await worker.lost() == [])
        await worker.test.database.close()
    }

    @Test func aPausedOneIsCancelledAndNothingStaysParked() async throws {
        let worker = try await Self.make(people: 3_000)
        let campaigns = CampaignStore(database: worker.test.database)
        @Sendable func all(_ steering: CampaignStore.Steering) async throws {
            var step = try await campaigns.steer("spring", key: "k", steering, after: nil)
            while let next = step.next { step = try await campaigns.steer("spring", key: "k", steering, after: next) }
        }
        try await CampaignJourneyTests.working(worker, expanders: 2) {
            _ = try await campaigns.start("spring", key: "k")
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 > 100 }
            try await all(.pause(reason: nil))
            try await all(.cancel)
            try await worker.until("SELECT count(*) FROM push.run WHERE state = 'cancelled' AND closed_at IS NOT NULL")
        }
        #expect(try await worker.test.number("SELECT count(*) FROM push.due") == 0)
        let adds = try await worker.test.texts(
            "SELECT (accepted + cancelled = expanded AND cancelled > 0 AND never_made = total - expanded)::text FROM push.run_progress"
        )
        #expect(adds == ["true"])
        await worker.test.database.close()
    }
}
