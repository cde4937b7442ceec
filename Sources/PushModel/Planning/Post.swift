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
    /// The finished body, UTF-8. At most `HubFacts.bodyBytes` of the hub's kind.
    public var body: [UInt8]
    /// When the first of its messages ends, in seconds since 1970; nil: none of them ends. Of no meaning to a service that
    /// is not told (`HubFacts.joinsLives`).
    public var expiresAt: Double?
    /// The most urgent of its messages.
    public var priority = Priority.normal
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

    public init(
        messages: [Int64], target: Target, format: String = "template", headers: [Header] = [], body: [UInt8],
        expiresAt: Double? = nil, priority: Priority = .normal
    ) {
        self.messages = messages
        self.target = target
        self.format = format
        self.headers = headers
        self.body = body
        self.expiresAt = expiresAt
        self.priority = priority
        packed = []
    }

    /// Contents with equal bodies, in one post.
    ///
    /// - Parameter parts: never empty; when there are several, all have plain tags or all have handles.
    public init(
        parts: [Part], format: String = "template", headers: [Header] = [], body: [UInt8], expiresAt: Double? = nil,
        priority: Priority = .normal
    ) {
        messages = parts.count == 1 ? parts[0].messages : parts.flatMap(\.messages)
        target = Target(joining: parts.map(\.target))
        self.format = format
        self.headers = headers
        self.body = body
        self.expiresAt = expiresAt
        self.priority = priority
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
        packed.map { part in
            Post(
                messages: part.messages, target: part.target, format: format, headers: headers, body: body,
                expiresAt: expiresAt, priority: priority)
        }
    }

    /// Two posts with the same body, each for half of the parts; the first has the smaller half. nil for a post of one
    /// content: its translations are never separated.
    public func halves() -> (Post, Post)? {
        guard packed.count > 1 else { return nil }
        let middle = packed.count / 2
        return (post(of: packed[..<middle]), post(of: packed[middle...]))
    }

    private func post(of parts: ArraySlice<Part>) -> Post {
        Post(
            parts: Array(parts), format: format, headers: headers, body: body, expiresAt: expiresAt, priority: priority)
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
