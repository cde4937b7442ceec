/// Tokens that phones of a sender had: their apps were removed, or got another token. FCM answers UNREGISTERED for them, APNs
/// Unregistered.
struct GoneTokens: Sendable {
    /// Tokens kept; beyond it the oldest half is forgotten.
    static let limit = 100_000

    /// Of each token the stamp of its last insertion, and when that was, in seconds since 1970.
    private var stamps: [String: (stamp: Int, at: Double)] = [:]
    /// Oldest first; only the entry with a token's last stamp counts.
    private var order: [(stamp: Int, token: String)] = []
    private var last = 0

    func contains(_ token: String) -> Bool { stamps[token] != nil }

    /// Seconds since 1970; nil: it is not gone.
    func time(of token: String) -> Double? { stamps[token]?.at }

    mutating func insert(_ token: String, at time: Double) {
        last += 1
        stamps[token] = (last, time)
        order.append((last, token))
        guard order.count > Self.limit else { return }
        for old in order.prefix(Self.limit / 2) where stamps[old.token]?.stamp == old.stamp { stamps[old.token] = nil }
        order.removeFirst(Self.limit / 2)
    }

    mutating func remove(_ token: String) {
        // Most tokens are not in it, and looking is cheaper than removing.
        if stamps[token] != nil { stamps[token] = nil }
    }
}
