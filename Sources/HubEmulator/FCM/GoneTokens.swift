/// Registration tokens that phones had: their apps were removed, or got another token. FCM answers UNREGISTERED for them.
struct GoneTokens: Sendable {
    /// Tokens kept; beyond it the oldest half is forgotten.
    static let limit = 100_000

    /// Of each token the stamp of its last insertion.
    private var stamps: [String: Int] = [:]
    /// Oldest first; only the entry with a token's last stamp counts.
    private var order: [(stamp: Int, token: String)] = []
    private var last = 0

    func contains(_ token: String) -> Bool { stamps[token] != nil }

    mutating func insert(_ token: String) {
        last += 1
        stamps[token] = last
        order.append((last, token))
        guard order.count > Self.limit else { return }
        for old in order.prefix(Self.limit / 2) where stamps[old.token] == old.stamp { stamps[old.token] = nil }
        order.removeFirst(Self.limit / 2)
    }

    mutating func remove(_ token: String) {
        // Most tokens are not in it, and looking is cheaper than removing.
        if stamps[token] != nil { stamps[token] = nil }
    }
}
