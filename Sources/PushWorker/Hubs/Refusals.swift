/// Whether a refusal (403, 404 and their like) is about one message or about its hub: the other posts show which. Pure;
/// times are monotonic seconds.
///
/// Beside posts that the hub takes, a refusal is the message's own. While it takes none, the hub may refuse everybody, so
/// it is held and tried with one post after another. Each message counts once, so one that is refused again and again
/// keeps no other from being tried: after the first one another is tried at once; with each further one the pause doubles.
struct Refusals: Equatable {
    /// Seconds a post that was taken speaks for its hub; as long as for the breaker.
    static let grace = Breaker.grace
    /// Messages remembered.
    static let limit = 1000

    /// When an answer last said that the hub took a post.
    private(set) var takenAt = -Double.infinity
    /// When the youngest post that the hub took had left.
    private(set) var takenLeftAt = -Double.infinity
    /// When each message that was refused last left.
    private var refused: [Int64: Double] = [:]
    /// When the first one was refused since the hub last took a post.
    private var refusedSince: Double?

    /// Messages that were refused since the hub last took a post.
    var count: Int { refused.values.count { $0 > takenLeftAt } }

    /// The hub took a post.
    mutating func taken(leftAt: Double, now: Double) {
        takenAt = now
        takenLeftAt = max(takenLeftAt, leftAt)
        refusedSince = nil
    }

    /// When this message last left and was refused; nil: never, or it is forgotten.
    func lastRefusal(of message: Int64) -> Double? { refused[message] }

    /// Whether the hub takes posts at the moment, so that it refused only this one.
    func isBesideOthers(leftAt: Double) -> Bool { takenAt > leftAt - Self.grace }

    /// Whether the hub took others since it last refused this message.
    func wasPassedOver(_ message: Int64) -> Bool { refused[message].map { $0 <= takenLeftAt } ?? false }

    /// The hub refused a message.
    ///
    /// - Parameter longest: the most seconds between two tries.
    /// - Returns: seconds until the hub may be tried again; 0: at once, with another message.
    mutating func refused(_ message: Int64, leftAt: Double, now: Double, longest: Double) -> Double {
        if refused.count >= Self.limit, refused[message] == nil { forgetHalf() }
        refused[message] = max(leftAt, refused[message] ?? leftAt)
        let since = refusedSince ?? now
        refusedSince = since
        let count = count
        guard count > 1 else { return 0 }
        // By time as well: a few messages that are retried every minute must not be tried more often than one.
        return min(longest, max(Double(1 << min(count - 2, 16)), now - since))
    }

    private mutating func forgetHalf() {
        let youngest = refused.sorted { $0.value > $1.value }.prefix(Self.limit / 2)
        refused = Dictionary(uniqueKeysWithValues: Array(youngest))
    }
}
