import Testing

@testable import HubEmulator

@Suite struct SyntheticDevicesTests {
    @Test func theSameNumberGivesTheSameDevice() throws {
        for number in [1, 2, 999] { #expect(SyntheticDevices.device(number) == SyntheticDevices.device(number)) }
        #expect(SyntheticDevices.device(1) != SyntheticDevices.device(2))
        for number in 1...500 { try SyntheticDevices.device(number).check() }
    }

    @Test func everyLanguagePlatformAndTopicHasDevices() async throws {
        try await EmulatorFixture.run({ $0.seedDevices = 2_000 }) { fixture in
            let body = SyntheticDevices.languages.map {
                "\"News_\($0.word)\":\"\($0.code)\",\"title_\($0.word)\":\"t\""
            }
            let tags =
                SyntheticDevices.languages.map { "lang:\($0.code)" } + SyntheticDevices.topics.map { "topic:\($0)" } + [
                    "user:1234"
                ]
            for tag in tags {
                #expect(
                    try await fixture.exchange(fixture.send(to: tag, "{\(body.joined(separator: ","))}")).status == 201)
            }
            let reached = fixture.emulator.journal().map(\.reached)
            #expect(reached.prefix(SyntheticDevices.languages.count).reduce(0, +) == 2_000)
            #expect(reached.allSatisfy { $0 > 0 })
            #expect(reached.last == 1)
            #expect(try fixture.emulator.inbox(of: "seed-1234", at: "news").count == 4)
            for (platform, _) in SyntheticDevices.platforms {
                let metrics = try await fixture.exchange(fixture.request("GET", "/_emulator/metrics", token: ""))
                #expect(metrics.body.contains("registrations{hub=\"news\",platform=\"\(platform.rawValue)\"}"))
            }
        }
    }

    @Test func moreSeedsThanTheTierAllowsAreRefused() async throws {
        var settings = EmulatorSettings(hubs: [.init("news")])
        settings.tier = .free
        settings.seedDevices = 501
        let emulator = try HubEmulator(settings)
        await #expect(throws: EmulatorError("501 seeds are more than the hub news takes: 500 devices in all")) {
            _ = try await emulator.start()
        }
        #expect(try emulator.devices(at: "news").isEmpty)
    }
}
