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
    /// So many handles: not 1 to `Target.handleLimit`.
    case handleCount(Int)
    /// A handle that is none: not 1 to 4,096 visible ASCII characters.
    case handle
    /// A template is rendered for registered devices; a handle has no template.
    case templateForHandles
    /// A browser takes its handle alone, with the headers `Auth` and `P256DH` of its subscription.
    case browserKeys
    /// The service makes no test sends to handles.
    case testOfHandles

    /// What is written for the messages of such a post: final, and the message's own fault.
    public var verdict: Verdict {
        switch self {
        case .emptyTag, .tag, .handleCount, .handle: .targetInvalid(because: description)
        case .bodyTooLarge: .tooLarge(because: description)
        case .format, .headerNotAllowed, .header, .templateForHandles, .browserKeys, .testOfHandles:
            .rejected(because: description)
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
        case .handleCount(let count): "\(count) handles, 1 to \(Target.handleLimit) go into one request"
        case .handle: "a handle is no handle: 1 to \(Target.handleLengthLimit) visible ASCII characters"
        case .templateForHandles: "a template goes to tags, handles take a native format"
        case .browserKeys: "a browser takes one handle, with the headers Auth and P256DH"
        case .testOfHandles: "a test send goes to a tag, not to handles"
        }
    }
}
