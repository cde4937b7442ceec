/// One row of `push.message`, as a claim returns it: what a backend asked for.
public struct Message: Sendable, Equatable {
    /// `push.message.id`.
    public var id: Int64
    /// The first message of the content this one belongs to. Messages with the same `lead` are translations of one
    /// content (docs/storage.md, "What a backend writes"); a message without translations is its own lead.
    public var lead: Int64
    /// Attempts already made; 0 on the first claim. At most 10 (docs/storage.md, "Complete").
    public var attempt: Int16
    public var target: Target
    /// BCP 47; nil: the content has no language.
    public var locale: String?
    /// JSON text. For `template`: one flat object, string values only. For native formats: the payload.
    public var content: String
    /// `template`, `apple`, `fcmv1`, `windows`, `adm`, `baidu`, `browser`, `xiaomi`.
    public var format: String
    /// Extra provider headers, JSON text of one flat object; nil: none.
    public var headers: String?
    /// Never sent after this moment, in seconds on the clock that `Plan` gets. A worker's is its monotonic clock: the
    /// database says how many seconds are left, so no wall clock of a worker decides.
    public var expiresAt: Double
    /// The class it was claimed in. Default: `normal`.
    public var priority: Priority
    /// nil: the hub's setting.
    public var onDoubt: OnDoubt?
    /// May share a post with other tags.
    public var pack: Bool
    /// The part of a run that it belongs to; `content` is then what is this recipient's own. nil: it belongs to no run.
    public var stream: Int64?
    /// When it was due, on the clock of `expiresAt`: of a message that is tried again, when that try was. Default: not known.
    public var dueSince: Double
    /// Of the request that enqueued it; nil: none, or not a valid one.
    public var traceparent: TraceParent?

    public init(
        id: Int64, lead: Int64? = nil, attempt: Int16 = 0, target: Target, locale: String? = nil, content: String,
        format: String = "template", headers: String? = nil, expiresAt: Double, priority: Priority = .normal,
        onDoubt: OnDoubt? = nil, pack: Bool = true, stream: Int64? = nil, dueSince: Double = -.infinity,
        traceparent: TraceParent? = nil
    ) {
        self.id = id
        self.lead = lead ?? id
        self.attempt = attempt
        self.target = target
        self.locale = locale
        self.content = content
        self.format = format
        self.headers = headers
        self.expiresAt = expiresAt
        self.priority = priority
        self.onDoubt = onDoubt
        self.pack = pack
        self.stream = stream
        self.dueSince = dueSince
        self.traceparent = traceparent
    }
}

/// Whom a message is for. A broadcast is a case of its own, so that an empty tag can never mean every device.
public enum Target: Sendable, Hashable {
    /// One tag, or a tag expression.
    case tag(String)
    /// Every registration of the hub. Needs the hub's `allowBroadcast`.
    case broadcast
    /// Devices by the handles their platform gave them; never empty, at most as many as one post to the hub's kind takes
    /// (`HubFacts.handles`). Native formats only.
    case handles([String])

    /// What is stored and logged about it: the expression, nil for a broadcast, and only the number of handles, because
    /// a handle identifies a person's device.
    public var label: String? {
        switch self {
        case .tag(let tag): tag
        case .broadcast: nil
        case .handles(let handles): handles.count == 1 ? "(1 handle)" : "(\(handles.count) handles)"
        }
    }
}

/// What happens to a message whose post may have left without an answer.
public enum OnDoubt: String, Sendable, CaseIterable {
    /// Becomes `in_doubt` until an operator decides.
    case hold
    /// Is sent again as attempt + 1: the device may get it twice.
    case resend
}

/// The class a message is claimed in; each class has lanes of its own.
public enum Priority: Int16, Sendable, CaseIterable {
    case urgent = 0
    case normal = 1
    case bulk = 2
}

extension Priority: Comparable {
    /// The most urgent first.
    public static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
}
