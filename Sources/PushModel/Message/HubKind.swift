/// The kind of a hub: the service that its posts go to.
///
/// What a post to each service may hold stands once, in `hub_kinds.json` beside this file, which is compiled in.
/// `bin/generate` writes it into `migrations/functions/rules/hub_kinds.sql`, so SQL and Swift go by the same facts.
public enum HubKind: String, Sendable, Codable, CaseIterable {
    /// Azure Notification Hubs: keeps devices, and sends to those whose tags match.
    case notificationHubs = "notification-hubs"
    /// FCM HTTP v1: sends to one registration token, or to topics that phones have subscribed to.
    case fcm
    /// The Apple Push Notification service, without a hub between: sends to one device token.
    case apns

    /// What one post to the service may hold. Reading it allocates nothing.
    public var facts: HubFacts {
        switch self {
        case .notificationHubs: Self.notificationHubsFacts
        case .fcm: Self.fcmFacts
        case .apns: Self.apnsFacts
        }
    }

    private static let notificationHubsFacts = HubFacts.all(of: .notificationHubs)
    private static let fcmFacts = HubFacts.all(of: .fcm)
    private static let apnsFacts = HubFacts.all(of: .apns)
}

/// What is true of all hubs of one kind: a row of `push.hub_kind`.
public final class HubFacts: Sendable {
    /// What the text in `push.message.tag` means.
    public enum Tags: String, Sendable {
        /// Tags of devices, joined by operators: `TagExpression`.
        case expression
        /// Topics, joined by operators: `TopicCondition`. A hub has them only with the setting `tags`.
        case topics
        /// The service knows only single devices.
        case none
    }

    /// For people: `FCM`.
    public let label: String
    /// Values of `push.message.format`.
    public let formats: [String]
    /// Handles that one post takes at most.
    public let handles: Int
    /// For people: what a handle is called at the service.
    public let handle: String
    /// Bytes that the handles of one message may have together.
    public let handleBytes: Int
    /// For people: a payload of the first format that it takes, as JSON.
    public let example: String
    public let tag: Tags
    /// Tags that one post takes at most when `||` alone joins them.
    public let tags: Int
    /// The same when `&&` or `!` is used.
    public let mixedTags: Int
    /// Whether tags compare without case.
    public let foldsCase: Bool
    /// Bytes of a body at most.
    public let bodyBytes: Int
    /// Whether the service renders templates. Without them a content has no properties to localise by.
    public let takesTemplates: Bool
    /// Headers that a row may set, as far as its format has them; `*` stands for any letters and hyphens. Empty: a row sets
    /// none.
    public let headers: [String]
    /// Whether a locale can narrow a tag to the devices of one language.
    public let takesLanguages: Bool
    /// Whether a post can reach every device.
    public let takesBroadcasts: Bool
    /// Whether equal contents share a post unless the setting `packTags` says otherwise.
    public let packs: Bool
    /// Whether messages that end at different times, or have different priorities, may share a post: a service that is
    /// not told of either does not mind.
    public let joinsLives: Bool
    /// Whether the service keeps devices, which `push.put_device` and its siblings change.
    public let keepsDevices: Bool

    private init(_ kind: JSONValue) {
        func fault(_ name: String) -> Never {
            // The file is compiled in, and every test of a hub reads it: no build with a fault in it passes, and no input
            // of a user gets here.
            fatalError("hub_kinds.json lacks \(name)")
        }
        func text(_ name: String) -> String {
            guard case .string(let text) = kind[name] else { fault(name) }
            return text
        }
        func number(_ name: String) -> Int {
            guard case .number(let text) = kind[name], let number = Int(text) else { fault(name) }
            return number
        }
        func flag(_ name: String) -> Bool {
            guard case .bool(let flag) = kind[name] else { fault(name) }
            return flag
        }
        func texts(_ name: String) -> [String] {
            guard case .array(let texts) = kind[name] else { fault(name) }
            return texts.compactMap { if case .string(let text) = $0.value { text } else { nil } }
        }
        guard let tag = Tags(rawValue: text("tag")) else { fault("tag") }
        label = text("label")
        formats = texts("formats")
        handles = number("handles")
        handle = text("handle")
        handleBytes = number("handle_bytes")
        example = text("example")
        self.tag = tag
        tags = number("tags")
        mixedTags = number("mixed_tags")
        foldsCase = flag("folds_case")
        bodyBytes = number("body_bytes")
        takesTemplates = flag("takes_templates")
        headers = texts("headers")
        takesLanguages = flag("takes_languages")
        takesBroadcasts = flag("takes_broadcasts")
        packs = flag("packs")
        joinsLives = flag("joins_lives")
        keepsDevices = flag("keeps_devices")
    }

    fileprivate static func all(of kind: HubKind) -> HubFacts {
        guard case .array(let kinds)? = try? JSONNode(PackageResources.hub_kinds_json).value,
            let found = kinds.first(where: { $0.value["name"] == .string(kind.rawValue) })
        else { fatalError("hub_kinds.json lacks \(kind.rawValue)") }
        return HubFacts(found.value)
    }
}
