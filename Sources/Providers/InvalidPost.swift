import HTTPTransport
import PushModel

/// Why a post must not be sent. Names the rule and, for a header, its name; never a tag, a value or a payload.
public enum InvalidPost: Error, Sendable, Equatable {
    /// An empty or blank tag. The header would get lost on the way, and a post without it is a broadcast.
    case emptyTag
    /// The tag has characters that no header may have: control characters, or non-ASCII ones.
    case tag(HeaderError)
    /// Bytes of the body: more than a request takes.
    case bodyTooLarge(Int)
    /// Not a format of Notification Hubs.
    case format
    /// A header that messages may not set, or one given twice.
    case headerNotAllowed(name: String)
    case header(HeaderError)
    /// Number of handles: none, or more than a request takes.
    case handleCount(Int)
    /// A malformed handle: not 1 to 4,096 visible ASCII characters.
    case handle
    /// The hub renders templates for registered devices; a handle has no template.
    case templateForHandles
    /// A browser needs exactly one handle, and the headers `Auth` and `P256DH` of its subscription.
    case browserKeys
    /// The service makes no test sends to handles.
    case testOfHandles
    /// FCM takes `fcmv1` and nothing else.
    case otherFormat
    /// Not `{"message": {…}}`, or with a target of its own; the rule it breaks.
    case content(String)
    /// FCM and APNs reach one device a request; the number of handles.
    case severalHandles(Int)
    /// Not a topic, and not an expression that becomes a condition.
    case condition(TagExpressionError)
    /// A broadcast, and no topic stands for every device.
    case noBroadcastTopic
    /// APNs takes `apple` and nothing else.
    case notApple
    /// APNs knows single devices only.
    case onlyHandles
    /// Not a device token of APNs.
    case deviceToken
    /// A header whose value Apple does not take.
    case headerValue(name: String)
    /// A background push with another priority than 5.
    case backgroundPriority
    /// A topic that is not the hub's, and not below it.
    case topicOfOther
    /// A push type with a topic of its own, and the hub has no topic to make it of.
    case noTopic
    /// APNs takes this push type from a key only.
    case locationByCertificate
    /// Bytes of a payload, and how many its push type takes.
    case payloadTooLarge(Int, limit: Int)
    /// The service has no test sends.
    case noTestSends

    /// The verdict for the messages of such a post: final, and the message's own fault.
    public var verdict: Verdict {
        switch self {
        case .emptyTag, .tag, .handleCount, .handle, .severalHandles, .condition, .noBroadcastTopic,
            .onlyHandles, .deviceToken:
            .targetInvalid(because: description)
        case .bodyTooLarge, .payloadTooLarge: .tooLarge(because: description)
        case .format, .headerNotAllowed, .header, .templateForHandles, .browserKeys, .testOfHandles, .otherFormat,
            .content, .notApple, .headerValue, .backgroundPriority, .topicOfOther, .noTopic, .locationByCertificate,
            .noTestSends:
            .rejected(because: description)
        }
    }
}

extension InvalidPost: CustomStringConvertible {
    public var description: String {
        switch self {
        case .emptyTag: "an empty tag; only a broadcast goes to every device"
        case .tag(let error): "tag: \(error)"
        case .bodyTooLarge(let bytes):
            "body has \(bytes) bytes, at most \(HubKind.notificationHubs.facts.bodyBytes) are allowed"
        case .format: "not a format of Notification Hubs"
        case .headerNotAllowed(let name): "header \(name.sanitised(limit: 60)) is not allowed, or given twice"
        case .header(let error): "\(error)"
        case .handleCount(let count):
            "\(count) handles, 1 to \(HubKind.notificationHubs.facts.handles) go into one request"
        case .handle: "a handle is malformed: it has 1 to \(Target.handleLengthLimit) visible ASCII characters"
        case .templateForHandles: "a template goes to tags, handles take a native format"
        case .browserKeys: "a browser takes one handle, with the headers Auth and P256DH"
        case .testOfHandles: "a test send goes to a tag, not to handles"
        case .otherFormat: "FCM takes the format fcmv1 only"
        case .content(let rule): "content: \(rule)"
        case .severalHandles(let count): "\(count) handles; the service takes one a request"
        case .condition(let error): "tag: \(error)"
        case .noBroadcastTopic: "a broadcast needs a topic that every device has; set broadcastTopic of the hub"
        case .notApple: "APNs takes the format apple only"
        case .onlyHandles: "APNs has no tags and no broadcasts; write the handle of one device"
        case .deviceToken:
            "the handle is not a device token: 2 to \(HubKind.apns.facts.handleBytes) hexadecimal digits, an even number of them"
        case .headerValue(let name): "header \(name) has a value that Apple does not take"
        case .backgroundPriority: "header apns-priority: a background push takes 5 and no other"
        case .topicOfOther:
            "header apns-topic names another app; it is the topic of the hub, or begins with it and a dot"
        case .noTopic: "this push type has a topic of its own, and the hub has none; set topic of the hub"
        case .locationByCertificate: "APNs takes the push type location from a key, and not from a certificate"
        case .payloadTooLarge(let bytes, let limit): "payload has \(bytes) bytes, at most \(limit) are allowed"
        case .noTestSends: "Apple has no test: APNs sends a push to the phone, or refuses it"
        }
    }
}
