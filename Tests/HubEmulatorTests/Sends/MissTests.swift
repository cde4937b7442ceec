import Logging
import PushModel
import Testing

@testable import HubEmulator

@Suite struct MissTests {
    private func miss(_ expression: String, _ tags: Set<String>) throws -> String {
        Miss.tags(try TagExpression(expression)) { tags.contains($0) }.text
    }

    @Test(arguments: [
        ("World", [], "lacks World"),
        ("World || Sports", ["x"], "has none of World, Sports"),
        ("World && !Sports", ["world", "sports"], "has Sports"),
        ("World && !Sports", ["x"], "lacks World"),
        ("World && !Sports", ["sports"], "lacks World and has Sports"),
        ("World && Science", ["x"], "lacks World, Science"),
        ("(a && b) || c", ["a"], "lacks b"),
        ("!a", ["a"], "has a"),
        ("a && !a", ["a"], "no device can match the expression"),
    ])
    func theSmallestChangeIsNamed(expression: String, tags: [String], text: String) throws {
        #expect(try miss(expression, Set(tags)) == text)
    }

    private func hub(_ devices: [Installation]) throws -> Hub {
        let hub = Hub(
            EmulatorSettings.Hub("news"), warnings: WarningLog(logger: .init(label: "test")), now: { 1_800_000_000 })
        for device in devices { try hub.put(device) }
        return hub
    }

    @Test func everyReasonIsTold() throws {
        var expired = EmulatorFixture.device("expired", ["World"])
        expired.expirationTime = "2020-01-01T00:00:00Z"
        let bare = Installation("bare", pushChannel: .handle("AB"), tags: ["World"])
        let android = Installation("android", platform: .fcmV1, pushChannel: .handle("x"), tags: ["World"])
        let hub = try hub([
            EmulatorFixture.device("a", ["World"]), EmulatorFixture.device("b", ["Sports"]), expired, bare, android,
        ])
        let world = Audience.tagged(try TagExpression("World || Wrold"))
        let reach = hub.reach(world, .template, limit: 10)
        #expect(reach.devices == 5 && reach.count == 1)
        #expect(reach.reached == [.init(device: "a", platform: .apns, templates: ["t"])])
        #expect(
            reach.missed.map { "\($0.device) \($0.reason)" } == [
                "b has none of World, Wrold", "expired expired at 2020-01-01T00:00:00Z",
                "bare has no template, and a template send reaches only templates",
                "android has no template, and a template send reaches only templates",
            ])
        #expect(reach.unknownTags == [.init(tag: "wrold", similar: "world")])
        let apple = hub.reach(world, .apple, limit: 10)
        #expect(apple.reached.map(\.device) == ["a", "bare"])
        #expect(apple.missed.last?.reason == "is fcmV1, and apple reaches only apns")
        #expect(hub.reach(.noDevices, .template, limit: 1).missed.map(\.device) == ["a"])
        #expect(hub.reach(.allDevices, .template, limit: 1).count == 2)
    }
}
