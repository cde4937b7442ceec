import HTTPTypes
import PushModel

/// The headers of a request to APNs, checked (developer.apple.com, "Sending notification requests to APNs").
struct APNsHeaders: Sendable, Equatable {
    /// nil: the request names none, and counts as an alert.
    let pushType: ApplePushType?
    let topic: String
    /// 1, 5 or 10.
    let priority: Int

    /// Bytes of `apns-collapse-id`.
    static let collapseLimit = 64

    /// - Parameter app: the only topic of a certificate, which the request may leave out. nil: it has to name one.
    /// - Throws: the first rule that is broken.
    init(_ fields: HTTPFields, ofCertificate app: String? = nil) throws(APNsError) {
        var values: [String: String] = [:]
        for field in fields where Self.isOnce(field.name.canonicalName) {
            guard values.updateValue(field.value, forKey: field.name.canonicalName) == nil else {
                throw .duplicateHeaders
            }
        }
        if let id = values["apns-id"], !Self.isUUID(id) { throw .badMessageID }
        if let name = values["apns-push-type"] {
            guard let type = ApplePushType(rawValue: name) else { throw .invalidPushType }
            pushType = type
        } else {
            pushType = nil
        }
        // Apple names no other way for these.
        if app != nil, pushType == .location { throw .topicDisallowed }
        let suffix = (pushType ?? .alert).topicSuffix
        let usual = app.map { $0 + suffix }
        guard let topic = values["apns-topic"] ?? usual, !topic.isEmpty else { throw .missingTopic }
        self.topic = topic
        switch values["apns-priority"] {
        case nil, "10": priority = 10
        case "5": priority = 5
        case "1": priority = 1
        default: throw .badPriority
        }
        if pushType == .background, priority != 5 { throw .badPriority }
        if let expiration = values["apns-expiration"] {
            guard UInt32(expiration) != nil, !expiration.hasPrefix("+") else { throw .badExpirationDate }
        }
        if let id = values["apns-collapse-id"], id.utf8.count > Self.collapseLimit { throw .badCollapseID }
    }

    private static func isOnce(_ name: String) -> Bool { name.hasPrefix("apns-") || name == "authorization" }

    /// 32 hex digits in groups of 8, 4, 4, 4 and 12.
    static func isUUID(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { place, byte in
                [8, 13, 18, 23].contains(place) ? byte == UInt8(ascii: "-") : byte.isHexDigit
            }
    }

    /// - Parameter app: the topic of the sender, without a suffix.
    /// - Throws: `BadTopic` for what cannot be one, or has another push type's suffix; `TopicDisallowed` for another app's.
    func checkTopic(of app: String) throws(APNsError) {
        guard topic != app + (pushType ?? .alert).topicSuffix else { return }
        let isName = topic.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x2E
        }
        throw isName && Self.app(of: topic) != app ? .topicDisallowed : .badTopic
    }

    /// The app that a topic is about: without the suffix of a push type.
    static func app(of topic: String) -> String {
        let suffix = ApplePushType.allCases.map(\.topicSuffix).first { !$0.isEmpty && topic.hasSuffix($0) }
        return String(topic.dropLast(suffix?.count ?? 0))
    }
}
