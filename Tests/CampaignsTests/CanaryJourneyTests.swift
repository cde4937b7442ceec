import HubEmulator
import PushModel
import Store
import TestSupport
import Testing

/// A canary against a hub that refuses some of it: a real worker, the emulator over sockets.
@Suite(.timeLimit(.minutes(10))) struct CanaryJourneyTests {
    private static let spec = """
        {"hubs": ["news"], "audience": {"view": "marketing.lapsed"},
         "content": {"en": {"title": "We miss you, {{name|friend}}"}},
         "canary": {"share": 0.25, "wait": "1 s", "failed": 0.02}}
        """

    @Test(arguments: [0, 33]) func theRestIsSentOnlyIfTheHubTookTheCanary(refusing nth: Int) async throws {
        let worker = try await TestWorker.make()
        try await CampaignJourneyTests.people(2_000, on: worker)
        let campaigns = CampaignStore(database: worker.test.database)
        _ = try await campaigns.create("spring", spec: Self.spec, draft: false)
        if nth > 0 { _ = try worker.emulator.add(Fault(.every(nth), status: 400)) }
        _ = try await campaigns.start("spring", key: "k")
        let ends = nth > 0 ? "state = 'paused'" : "closed_at IS NOT NULL"
        try await CampaignJourneyTests.working(worker, expanders: 2) {
            try await worker.until("SELECT count(*) FROM push.run WHERE canary_judged_at IS NOT NULL")
            try await worker.until("SELECT count(*) FROM push.run WHERE \(raw: ends)")
        }
        let shown = try await worker.test.texts(
            "SELECT concat_ws(' ', state, expanded, accepted, rejected, why) FROM push.run_progress")
        #expect(
            shown == [
                nth > 0
                    ? "paused 500 485 15 stopped itself: of its canary of 500 15 failed (at most 2 %) and 0 are in doubt "
                        + "(at most 1 %): bad_request 15"
                    : "done 2000 2000 0"
            ])
        #expect(worker.taken.count == (nth > 0 ? 485 : 2_000))
        #expect(try await worker.lost() == [])
    }
}
