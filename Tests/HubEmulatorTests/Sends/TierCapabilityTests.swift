import Testing

@testable import HubEmulator

@Suite struct TierCapabilityTests {
    /// docs/wire/notification-hubs.md, "Limits and tiers".
    @Test(arguments: [
        (EmulatorSettings.Tier.standard, [201, 201, 404, 200, 201]), (.basic, [201, 403, 403, 403, 201]),
        (.free, [201, 403, 403, 403, 403]),
    ])
    func everyTierHasItsCapabilities(tier: EmulatorSettings.Tier, statuses: [Int]) async throws {
        try await EmulatorFixture.run({ $0.tier = tier }) { fixture in
            let requests = [
                fixture.send(to: "World"), ScheduledSendsTests.schedule(fixture),
                fixture.request("GET", "/news/messages/id1", headers: [:]),
                fixture.request("GET", "/news/feedbackcontainer", token: fixture.token("all"), headers: [:]),
                Batch(["AA"]).request(fixture),
            ]
            for (request, status) in zip(requests, statuses) {
                let reply = try await fixture.exchange(request)
                #expect(reply.status == status, "\(request.prefix(60))")
                // 403 with a text and without Retry-After: not to be retried.
                if status == 403 {
                    #expect(reply.body.contains("is not available in the tier of this hub"))
                    #expect(reply.headers["retry-after"] == nil)
                }
            }
            let cancel = fixture.request("DELETE", "/news/schedulednotifications/id1", headers: [:])
            #expect(try await fixture.exchange(cancel).status == (tier == .standard ? 404 : 403))
            #expect((fixture.emulator.journal().first?.notification != nil) == (tier == .standard))
        }
    }
}
