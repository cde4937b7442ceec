/// A message as a backend writes it: the columns of `push.message` it may set. The table checks everything.
public struct NewMessage: Sendable, Equatable, Codable {
    public var hub: String
    /// A tag or a tag expression. Exactly one of tag, handles and broadcast is set.
    public var tag: String?
    /// 1 to 1,000 device handles; for native formats only.
    public var handles: [String]?
    public var broadcast: Bool?
    public var locale: String?
    /// JSON text; nil: all of it is in `translations`.
    public var content: String?
    /// JSON text: an object of contents by locale.
    public var translations: String?
    /// Names one content whose translations arrive in several statements.
    public var contentKey: String?
    /// One content per hub and key.
    public var dedupeKey: String?
    /// Takes the place of what still waits under `dedupeKey`.
    public var replace: Bool?
    /// `template` or a native format; nil: `template`.
    public var format: String?
    /// ISO 8601, or any other text PostgreSQL reads as timestamptz; nil: now.
    public var sendAt: String?
    public var expiresAt: String?
    /// 0 urgent, 1 normal, 2 bulk; nil: 1.
    public var priority: Int16?
    public var onDoubt: String?
    public var pack: Bool?
    public var campaign: String?
    public var run: String?
    public var tenant: String?
    /// JSON text: provider headers.
    public var headers: String?
    /// W3C trace context.
    public var traceparent: String?
    /// JSON text, for the backend's own use.
    public var meta: String?
    /// The message that has its final result first.
    public var after: Int64?
    /// The device of the hub whose changes are applied first.
    public var afterDevice: String?
    /// How long it waits for that at most: a text that PostgreSQL reads as interval; nil: a minute.
    public var afterAtMost: String?

    public init(hub: String, tag: String? = nil, content: String?) {
        self.hub = hub
        self.tag = tag
        self.content = content
    }
}
