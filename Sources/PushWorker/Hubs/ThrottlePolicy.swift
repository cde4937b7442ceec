/// Decides when a hub that throttles is a reason to slow down, and from which rate. Pure; times are monotonic seconds.
///
/// The limit itself is in the database (`push.current_rate`), because all workers share it: half of what was allowed or taken,
/// doubling every 30 s, gone after three minutes. A hub that never throttled has no limit.
struct ThrottlePolicy {
    /// Seconds that `bestSecond` looks back.
    private static let memory = 10

    /// Posts the hub took in one second of the monotonic clock.
    private struct Second {
        var number = Int.min
        var accepted = 0
    }

    private var seconds = [Second](repeating: Second(), count: memory)
    private var slowedAt = -Double.infinity

    /// The hub took this many posts.
    mutating func accepted(_ count: Int, now: Double) {
        let number = Int(now.rounded(.down))
        let place = abs(number % Self.memory)
        if seconds[place].number != number { seconds[place] = Second(number: number) }
        seconds[place].accepted += count
    }

    /// Posts the hub took in the best of the last ten seconds.
    func bestSecond(now: Double) -> Int {
        let number = Int(now.rounded(.down))
        return seconds.filter { $0.number > number - Self.memory && $0.number <= number }.map(\.accepted).max() ?? 0
    }

    /// A post was refused because all workers together are too fast.
    ///
    /// - Parameter leftAt: when it left. A post that left before we last slowed down says nothing about the speed since.
    /// - Returns: posts per second the hub took lately, if that is a reason to slow down: at most once a second.
    mutating func throttled(leftAt: Double, now: Double) -> Double? {
        guard leftAt >= slowedAt, now - slowedAt >= 1 else { return nil }
        slowedAt = now
        return Double(bestSecond(now: now))
    }

    /// Whether the answer to a question asked at `askedAt` may be too old to know that we slowed down.
    func isNewer(than askedAt: Double) -> Bool { slowedAt >= askedAt }
}
