/// Whether a hub takes batches to handles: not every tier does, and a tier without batches answers 403, as for any
/// refusal. Pure; times are monotonic seconds.
struct BatchSupport {
    /// Seconds it is remembered that a hub takes none: it may move to a better tier.
    static let memory = 3600.0

    /// The last post to several handles that was refused; its messages leave one by one.
    private var refused: Int64?
    private var missingFrom = -Double.infinity

    /// Whether messages to handles may share a post.
    func packs(now: Double) -> Bool { now - missingFrom > Self.memory }

    /// The hub refused a batch of several messages.
    mutating func refused(_ post: Int64) { refused = post }

    /// The hub took a part of a refused post: if that was a batch, what it refused was the batch.
    mutating func partTaken(of post: Int64, now: Double) {
        if post == refused { missingFrom = now }
    }
}
