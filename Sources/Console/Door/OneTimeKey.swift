import Signing

/// The key in the link that `fanfare console` prints: works once, within a minute.
struct OneTimeKey: Sendable {
    /// What became of a key that somebody showed.
    enum Use: Sendable, Equatable {
        case accepted
        /// It worked before.
        case used
        case late
        /// It is not this key.
        case wrong
    }

    static let seconds = 60.0

    /// 256 random bits, in signs that an address may hold.
    let text: Secret
    private let madeAt: Double
    private var isUsed = false

    /// - Parameter now: seconds of a clock that never goes back.
    init(now: Double) {
        text = RandomKey.make()
        madeAt = now
    }

    mutating func use(_ shown: String, now: Double) -> Use {
        guard Secret(shown) == text else { return .wrong }
        if isUsed { return .used }
        guard now - madeAt < Self.seconds else { return .late }
        isUsed = true
        return .accepted
    }
}
