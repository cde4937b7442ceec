import HTTPTransport
import PushModel

/// Why a post was not allowed to leave. Names the rule and, for a header, its name; never a tag, a value or a payload.
public enum InvalidPost: Error, Sendable, Equatable {
    /// An empty or blank tag. The header would vanish on its way, and a post without it reaches everybody.
    case emptyTag
    /// The tag holds what no header may hold: control characters, or anything beyond ASCII.
    case tag(HeaderError)
    /// The body has this many bytes, more than `Post.bodyLimit`.
    case bodyTooLarge(Int)
    /// No format Notification Hubs knows.
    case format
    /// A header that is not ours to send, or given twice.
    case headerNotAllowed(name: String)
    case header(HeaderError)

    /// What is written for the messages of such a post: final, and the message's own fault.
    public var verdict: Verdict {
        switch self {
        case .emptyTag, .tag: .targetInvalid(because: description)
        case .bodyTooLarge: .tooLarge(because: description)
        case .format, .headerNotAllowed, .header: .rejected(because: description)
        }
    }
}

extension InvalidPost: CustomStringConvertible {
    public var description: String {
        switch self {
        case .emptyTag: "an empty tag; only a broadcast is for everybody"
        case .tag(let error): "tag: \(error)"
        case .bodyTooLarge(let bytes): "body has \(bytes) bytes, at most \(Post.bodyLimit) are allowed"
        case .format: "not a format of Notification Hubs"
        case .headerNotAllowed(let name): "header \(OperatorText.line(name, limit: 60)) may not be sent, or not twice"
        case .header(let error): "\(error)"
        }
    }
}
