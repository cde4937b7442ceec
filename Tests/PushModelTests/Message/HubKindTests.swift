import Foundation
import Testing
import VectorSupport

@testable import PushModel

@Suite struct HubKindTests {
    @Test func notificationHubsHaveTheLimitsOfTheirService() {
        let facts = HubKind.notificationHubs.facts
        #expect(facts.handles == 1000)
        #expect(facts.tags == 20)
        #expect(facts.mixedTags == 6)
        #expect(facts.bodyBytes == 65_536)
        #expect(facts.tag == .expression)
        #expect(facts.foldsCase && facts.takesTemplates && facts.takesBroadcasts && facts.packs && facts.keepsDevices)
        #expect(Set(facts.formats) == Set(PayloadRules.all.formats.keys))
    }

    @Test func fcmSendsToOneTokenOrToFiveTopics() {
        let facts = HubKind.fcm.facts
        #expect(facts.handles == 1)
        #expect(facts.tags == 5)
        #expect(facts.bodyBytes == 4096)
        #expect(facts.tag == .topics)
        #expect(facts.formats == ["fcmv1"])
        #expect(!facts.foldsCase && !facts.takesTemplates && !facts.packs && !facts.keepsDevices)
    }

    @Test func apnsSendsToOneDeviceToken() {
        let facts = HubKind.apns.facts
        #expect(facts.handles == 1 && facts.handleBytes == 200)
        #expect(facts.bodyBytes == 5120)
        #expect(facts.tag == .none)
        #expect(facts.formats == ["apple"] && facts.headers == ["apns-*"])
        #expect(!facts.takesTemplates && !facts.takesLanguages && !facts.takesBroadcasts && !facts.keepsDevices)
    }

    @Test func everyKindHasItsFactsUnderItsName() throws {
        let kinds = try JSONNode(PackageResources.hub_kinds_json).value
        guard case .array(let elements) = kinds else {
            Issue.record("hub_kinds.json is not an array")
            return
        }
        #expect(elements.map { $0.value["name"] } == HubKind.allCases.map { .string($0.rawValue) })
        for kind in HubKind.allCases { #expect(!kind.facts.label.isEmpty) }
    }

    @Test func theSchemaHasTheSameFacts() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let facts = try String(
            contentsOf: root.appending(path: "Sources/PushModel/Message/hub_kinds.json"), encoding: .utf8)
        let sql = try String(
            contentsOf: root.appending(path: "migrations/functions/rules/hub_kinds.sql"), encoding: .utf8)
        #expect(
            sql.components(separatedBy: "$kinds$").dropFirst().first == "\n" + facts,
            "bin/generate writes hub_kinds.sql")
    }

    @Test func aHubPacksAsIsUsualForItsKind() {
        #expect(HubSettings(name: "news").packTags)
        #expect(!HubSettings(name: "shop", kind: .fcm).packTags)
        var hub = HubSettings(name: "shop")
        hub.kind = .fcm
        #expect(!hub.packTags)
    }
}
