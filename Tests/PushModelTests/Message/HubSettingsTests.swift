import Foundation
import PushModel
import Testing

/// What is registered of a hub.
@Suite struct HubSettingsTests {
    private func text(_ hub: HubSettings) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(hub), as: UTF8.self)
    }

    /// One key more would make every worker report settings that differ from the registered ones.
    @Test func aNotificationHubIsRegisteredAsBeforeThereWereOtherKinds() throws {
        var hub = HubSettings(name: "news", hub: "breaking-news")
        #expect(
            try text(hub)
                == #"{"allowBroadcast":false,"contentKeyHours":24,"dedupeHours":168,"deviceWindow":8,"#
                + #""expireAfterSeconds":86400,"hub":"breaking-news","keysPerTenant":false,"kind":"notification-hubs","#
                + #""languages":{},"localization":"properties","name":"news","onDoubt":"hold","packTags":true,"#
                + #""plainFallback":true,"propertyPattern":"{property}_{language}","ratePerSecond":0,"#
                + #""settleMilliseconds":500,"window":64}"#)
        hub.languages = ["fr": "French"]
        hub.fallback = "fr"
        hub.zoneTag = "tz:{zone}"
        let more = try text(hub)
        #expect(more.contains(#""fallback":"fr""#) && more.contains(#""zoneTag":"tz:{zone}""#))
        #expect(more.contains(#""languages":{"fr":"French"}"#))
        let plain = more
        hub.project = "p"
        hub.endpoint = "https://e"
        hub.tagsAreTopics = true
        hub.broadcastTopic = "all"
        hub.unavailable = .doubt
        hub.rampSeconds = 60
        #expect(try text(hub) == plain, "what is of another kind is not registered")
    }

    @Test func anFCMHubIsRegisteredWithWhatItsKindHasAndWithoutItsProject() throws {
        var hub = HubSettings(name: "shop", kind: .fcm)
        hub.project = "myproject-b5ae1"
        #expect(
            try text(hub)
                == #"{"allowBroadcast":false,"contentKeyHours":24,"dedupeHours":168,"expireAfterSeconds":86400,"#
                + #""keysPerTenant":false,"kind":"fcm","languages":{},"localization":"properties","name":"shop","#
                + #""onDoubt":"hold","packTags":false,"rampSeconds":0,"ratePerSecond":0,"settleMilliseconds":500,"#
                + #""unavailable":"retry","window":64}"#)
        hub.tagsAreTopics = true
        hub.broadcastTopic = "all"
        hub.endpoint = "http://127.0.0.1:8099"
        let more = try text(hub)
        #expect(more.contains(#""tags":"topics""#) && more.contains(#""broadcastTopic":"all""#))
        #expect(more.contains("127.0.0.1:8099"))
    }

    @Test func equalContentsSharePostsAsIsUsualForTheKind() {
        var hub = HubSettings(name: "x")
        #expect(hub.packTags)
        hub.kind = .fcm
        #expect(!hub.packTags)
    }
}
