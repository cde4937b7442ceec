import Foundation
import Testing
import VectorSupport

@testable import PushModel

/// Vectors/fcm_rows.json and the messages of Vectors/fcm-apns/fcm-messages.json. StoreTests inserts the same rows.
@Suite struct FCMRowTests {
    static let hubs: [String: HubSettings] = {
        var shop = HubSettings(name: "shop", kind: .fcm)
        shop.allowBroadcast = true
        var topics = HubSettings(name: "topics", kind: .fcm)
        topics.tagsAreTopics = true
        topics.allowBroadcast = true
        topics.broadcastTopic = "all"
        var langs = topics
        langs.name = "langs"
        langs.localization = .tags
        return ["shop": shop, "topics": topics, "langs": langs]
    }()

    /// What the planner says about a row; nil: it is sent.
    static func refusal(of row: [String: Any], hub: String) throws -> String? {
        let handles = row["handles"] as? [String]
        let target = (row["tag"] as? String).map(Target.tag) ?? handles.map(Target.handles) ?? .broadcast
        let message = Message(
            id: 1, target: target, locale: row["locale"] as? String, content: try #require(row["content"] as? String),
            format: row["format"] as? String ?? "template", headers: row["headers"] as? String, expiresAt: .infinity)
        let plan = Plan([message], for: try #require(hubs[hub]), now: 0)
        #expect(plan.posts.count + plan.refusals.count == 1)
        return plan.refusals.first?.text
    }

    @Test func theServiceIsAskedOnlyForWhatItTakes() throws {
        for entry in try Vectors.objects("fcm_rows", "cases") {
            let name = try #require(entry["name"] as? String)
            let row = try #require(entry["row"] as? [String: Any])
            let refusal = try Self.refusal(of: row, hub: try #require(entry["hub"] as? String))
            if let column = entry["refused"] as? String {
                #expect(refusal?.hasPrefix(column) == true, "\(name): \(refusal ?? "sent")")
            } else {
                #expect(refusal == nil, "\(name)")
            }
        }
    }

    @Test(arguments: ["valid", "invalid"])
    func messagesOfTheVectorsAreJudgedAsFCMJudgesThem(member: String) throws {
        for entry in try Vectors.objects("fcm-apns/fcm-messages", member) {
            guard var message = (entry["message"] ?? entry["input"]) as? [String: Any] else { continue }
            let (token, topic) = (message.removeValue(forKey: "token"), message.removeValue(forKey: "topic"))
            // A row without any target cannot be inserted, and is a broadcast to a planner.
            if token == nil, topic == nil { continue }
            var row: [String: Any] = [
                "format": "fcmv1",
                "content": String(
                    decoding: try JSONSerialization.data(withJSONObject: ["message": message]), as: UTF8.self),
            ]
            if let token { row["handles"] = [token] } else { row["tag"] = topic }
            let refusal = try Self.refusal(of: row, hub: "topics")
            #expect((refusal == nil) == (member == "valid"), "\(entry["name"] ?? ""): \(refusal ?? "sent")")
        }
    }
}
