import Foundation
import Testing
import VectorSupport

@testable import PushModel

/// Vectors/apart.json: for each reason the smallest rows that show it, as lines of `fanfare enqueue --file`, with the settings
/// of their hub as in config.json, and how many posts each reason is expected to make.
struct ApartExample: Sendable, CustomTestStringConvertible {
    let name: String
    let hub: HubSettings
    let messages: [Message]
    let apart: [Apart: Int]

    var testDescription: String { name }

    static func all() throws -> [ApartExample] { try Vectors.objects("apart").map(ApartExample.init) }

    private init(_ example: [String: Any]) throws {
        name = try #require(example["name"] as? String)
        hub = try Self.hub(example["hub"] as? [String: Any] ?? [:])
        var messages: [Message] = []
        for row in try #require(example["rows"] as? [[String: Any]]) {
            let lead = Int64(messages.count + 1)
            guard let translations = row["translations"] as? [String: Any] else {
                messages.append(try Self.message(lead, row))
                continue
            }
            for (locale, content) in translations.sorted(by: { $0.key < $1.key }) {
                let columns = row.merging(["locale": locale, "content": content]) { $1 }
                messages.append(try Self.message(Int64(messages.count + 1), lead: lead, columns))
            }
        }
        self.messages = messages
        let counts = try #require(example["apart"] as? [String: Int])
        apart = Dictionary(
            uniqueKeysWithValues: try counts.map { (try #require(Apart(rawValue: $0), "\($0)"), $1) })
    }

    private static func hub(_ settings: [String: Any]) throws -> HubSettings {
        let kind = try #require(HubKind(rawValue: settings["kind"] as? String ?? "notification-hubs"))
        var hub = HubSettings(name: "news", kind: kind)
        for (key, value) in settings where key != "kind" {
            switch (key, value) {
            case ("packTags", let flag as Bool): hub.packTags = flag
            case ("allowBroadcast", let flag as Bool): hub.allowBroadcast = flag
            case ("localization", let word as String): hub.localization = try #require(Localization(rawValue: word))
            case ("languages", let languages as [String: String]): hub.languages = languages
            case ("fallback", let locale as String): hub.fallback = locale
            case ("tags", "topics" as String): hub.tagsAreTopics = true
            default: Issue.record("\(key) is no setting of an example")
            }
        }
        return hub
    }

    private static func message(_ id: Int64, lead: Int64? = nil, _ row: [String: Any]) throws -> Message {
        let tag = (row["tag"] as? String).map(Target.tag)
        let end = try (row["expires_at"] as? String).map { try Date($0, strategy: .iso8601).timeIntervalSince1970 }
        return Message(
            id: id, lead: lead, attempt: Int16(row["attempt"] as? Int ?? 0),
            target: tag ?? (row["handles"] as? [String]).map(Target.handles) ?? .broadcast,
            locale: row["locale"] as? String, content: try json(#require(row["content"])),
            format: row["format"] as? String ?? "template", headers: try row["headers"].map(json),
            expiresAt: end ?? .infinity, onDoubt: (row["on_doubt"] as? String).flatMap(OnDoubt.init),
            pack: row["pack"] as? Bool ?? true)
    }

    private static func json(_ value: Any) throws -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
    }
}
