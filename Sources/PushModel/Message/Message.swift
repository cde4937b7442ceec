/// What a backend asked for, as it comes out of a claim: one row of `push.message` that this worker now holds.
///
/// Times are seconds since 1970-01-01 UTC.
public struct Message: Sendable, Equatable {
    /// `push.message.id`.
    public var id: Int64
    /// The first message of the content this one belongs to. Messages with the same `lead` are translations of one
    /// content (storage.md section 1); a message that stands alone is its own lead.
    public var lead: Int64
    /// Attempts already made; 0 on the first claim. At most 10 (architecture.md section 4).
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
    /// Never sent after this instant.
    public var expiresAt: Double
    /// nil: the hub's setting.
    public var onDoubt: OnDoubt?
    /// May share a post with other tags.
    public var pack: Bool

    public init(
        id: Int64, lead: Int64? = nil, attempt: Int16 = 0, target: Target, locale: String? = nil, content: String,
        format: String = "template", headers: String? = nil, expiresAt: Double, onDoubt: OnDoubt? = nil,
        pack: Bool = true
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
        self.onDoubt = onDoubt
        self.pack = pack
    }
}

/// Whom a message is for. A broadcast is a case of its own, so that an empty tag can never mean everybody.
public enum Target: Sendable, Hashable {
    /// One tag, or a tag expression.
    case tag(String)
    /// Every registration of the hub. Needs the hub's `allowBroadcast`.
    case broadcast
    /// Devices by the handles their platform gave them; never empty, at most `handleLimit`. Native formats only.
    case handles([String])

    /// Handles one request may carry (notification-hubs.md section 3.2).
    public static let handleLimit = 1000

    /// What is written down about it: the expression, nothing for everybody, and for handles only how many: they are as
    /// good as addresses of people.
    public var label: String? {
        switch self {
        case .tag(let tag): tag
        case .broadcast: nil
        case .handles(let handles): handles.count == 1 ? "(1 handle)" : "(\(handles.count) handles)"
        }
    }
}

/// What happens to a message whose post may have left and was never answered.
public enum OnDoubt: String, Sendable, CaseIterable {
    /// Ends as `in_doubt` until a person decides.
    case hold
    /// Goes back with attempt + 1: the device may get it twice.
    case resend
}

/// The class a message is served in; each class is claimed on its own.
public enum Priority: Int16, Sendable, CaseIterable {
    case urgent = 0
    case normal = 1
    case bulk = 2
}
