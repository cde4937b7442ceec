/// One planned request: its target, its body and the messages it carries. The provider adds URL and token.
public struct Post: Sendable, Equatable {
    /// The messages that share this request, part by part; never empty. All get the same verdict.
    public let messages: [Int64]
    /// The targets of all parts together.
    public let target: Target
    /// As in `Message.format`.
    public var format: String
    /// Extra provider headers, in the order they are sent.
    public var headers: [Header]
    /// The finished body, UTF-8. At most `Post.bodyLimit` bytes.
    public var body: [UInt8]
    /// Seconds since 1970 after which it is of no use, the earliest of its messages; nil: not known.
    public var expiresAt: Double?
    /// Empty for a post of one content: most are, and a list would cost each of them an allocation.
    private let packed: [Part]

    /// One content in a post: its messages, which are translations of each other, and its target.
    public struct Part: Sendable, Equatable {
        /// Never empty.
        public var messages: [Int64]
        public var target: Target
        public init(messages: [Int64], target: Target) {
            self.messages = messages
            self.target = target
        }
    }

    public struct Header: Sendable, Hashable {
        public var name: String
        public var value: String
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Bytes a Notification Hubs request may have (docs/wire/notification-hubs.md, "Limits and tiers"). In a batch
    /// to handles only the payload counts.
    public static let bodyLimit = 65_536

    public init(
        messages: [Int64], target: Target, format: String = "template", headers: [Header] = [], body: [UInt8]
    ) {
        self.messages = messages
        self.target = target
        self.format = format
        self.headers = headers
        self.body = body
        packed = []
    }

    /// Contents with equal bodies, in one post.
    ///
    /// - Parameter parts: never empty; when there are several, all have plain tags or all have handles.
    public init(parts: [Part], format: String = "template", headers: [Header] = [], body: [UInt8]) {
        messages = parts.count == 1 ? parts[0].messages : parts.flatMap(\.messages)
        target = Target(joining: parts.map(\.target))
        self.format = format
        self.headers = headers
        self.body = body
        packed = parts.count == 1 ? [] : parts
    }

    /// The contents of this post, in the order of the messages; usually one.
    public var parts: [Part] { packed.isEmpty ? [Part(messages: messages, target: target)] : packed }

    /// Of body and handles.
    public var bytes: Int {
        guard case .handles(let handles) = target else { return body.count }
        return body.count + handles.reduce(0) { $0 + $1.utf8.count }
    }

    /// Whether it holds more than one content.
    public var isPacked: Bool { !packed.isEmpty }

    /// A post with the same body for each part; none for a post of one content.
    public func singles() -> [Post] {
        packed.map { Post(messages: $0.messages, target: $0.target, format: format, headers: headers, body: body) }
    }

    /// Two posts with the same body, each for half of the parts; the first has the smaller half. nil for a post of one
    /// content: its translations are never separated.
    public func halves() -> (Post, Post)? {
        guard packed.count > 1 else { return nil }
        let middle = packed.count / 2
        return (
            Post(parts: Array(packed[..<middle]), format: format, headers: headers, body: body),
            Post(parts: Array(packed[middle...]), format: format, headers: headers, body: body)
        )
    }
}

extension Target {
    /// The union of several targets.
    ///
    /// - Parameter targets: never empty; when there are several, all are plain tags or all are handles.
    init(joining targets: [Target]) {
        guard targets.count > 1 else {
            self = targets[0]
            return
        }
        var tags: [String] = []
        var handles: [String] = []
        for target in targets {
            switch target {
            case .tag(let tag): tags.append(tag)
            case .handles(let more): handles += more
            case .broadcast: preconditionFailure("a broadcast is packed with nothing")
            }
        }
        precondition(tags.isEmpty || handles.isEmpty, "tags and handles never share a post")
        self = handles.isEmpty ? .tag(tags.joined(separator: " || ")) : .handles(handles)
    }
}
