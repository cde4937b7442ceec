import PushModel

/// APNs' error body: `{"reason":"Unregistered","timestamp":1454948015990}` (docs/wire/fcm-apns.md, "Answers of APNs").
///
/// Never fails: an empty body, a page of a proxy or half a document leave the fields empty.
struct APNsError: Equatable {
    /// One word of Apple's; nil: the answer has none, and is perhaps not Apple's.
    var reason: String?
    /// Seconds since 1970 from which APNs knows that a device token is not valid any more. Only with 410.
    var since: Double?

    init(body: [UInt8]) {
        guard body.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), let root = try? JSONNode(body).value,
            let reason = root["reason"]?.text, !reason.isEmpty
        else { return }
        self.reason = reason
        if case .number(let text) = root["timestamp"], let milliseconds = Double(text),
            (1..<253_402_300_800_000).contains(milliseconds)
        {
            since = milliseconds / 1_000
        }
    }

    /// What the reason means; nil: not known, and the HTTP status decides.
    var cause: Cause? { reason.flatMap(Cause.init) }

    enum Cause: Equatable {
        case target, push, topic, credential, invalidToken, expiredToken, tokenUpdates, requests, idle

        init?(_ reason: String) {
            switch reason {
            case "BadDeviceToken", "DeviceTokenNotForTopic", "MissingDeviceToken": self = .target
            case "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "DuplicateHeaders",
                "InvalidPushType", "PayloadEmpty", "BadPath", "MethodNotAllowed":
                self = .push
            case "BadTopic", "MissingTopic", "TopicDisallowed": self = .topic
            case "InvalidProviderToken": self = .invalidToken
            case "BadCertificate", "BadCertificateEnvironment", "Forbidden", "MissingProviderToken",
                "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken":
                self = .credential
            case "ExpiredProviderToken", "UnrelatedKeyIdInToken": self = .expiredToken
            case "TooManyProviderTokenUpdates": self = .tokenUpdates
            case "TooManyRequests": self = .requests
            case "IdleTimeout": self = .idle
            default: return nil
            }
        }
    }
}
