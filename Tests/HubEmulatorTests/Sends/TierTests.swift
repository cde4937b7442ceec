import Testing

@testable import HubEmulator

@Suite struct TierTests {
    /// notification-hubs.md sections 3.2 and 5: what every tier answers to what.
    @Test(arguments: [
        (EmulatorSettings.Tier.standard, [201, 201, 404, 200, 201]), (.basic, [201, 403, 403, 403, 201]),
        (.free, [201, 403, 403, 403, 403]),
    ])
    func everyTierHasItsFeatures(tier: EmulatorSettings.Tier, statuses: [Int]) async throws {
        try await Bench.run({ $0.tier = tier }) { bench in
            let requests = [
                bench.send(to: "World"), ScheduleTests.schedule(bench),
                bench.request("GET", "/news/messages/id1", headers: [:]),
                bench.request("GET", "/news/feedbackcontainer", token: bench.token("all"), headers: [:]),
                Batch(["AA"]).request(bench),
            ]
            for (request, status) in zip(requests, statuses) {
                let reply = try await bench.exchange(request)
                #expect(reply.status == status, "\(request.prefix(60))")
                // 403 with words and without Retry-After: not a thing to repeat.
                if status == 403 {
                    #expect(reply.body.contains("is not available in the tier of this hub"))
                    #expect(reply.headers["retry-after"] == nil)
                }
            }
            let cancel = bench.request("DELETE", "/news/schedulednotifications/id1", headers: [:])
            #expect(try await bench.exchange(cancel).status == (tier == .standard ? 404 : 403))
            #expect((bench.emulator.journal().first?.notification != nil) == (tier == .standard))
        }
    }
}
