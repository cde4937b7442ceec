/// When a hub that throttles is reason to go slower, and from which speed. Pure; times are monotonic seconds.
///
/// The limit itself is in the database (`push.speed`), because it is one for all workers: half of what was allowed or
/// taken, doubling every 30 s, gone after three minutes. A hub that never throttled has none, and nobody asks for it.
struct ThrottlePolicy {
    /// Seconds over which is looked for the best one.
    private static let memory = 10

    /// Posts taken in one second of the monotonic clock.
    private struct Second {
        var number = Int.min
        var taken = 0
    }

    private var seconds = [Second](repeating: Second(), count: memory)
    private var slowedAt = -Double.infinity

    /// The hub took so many posts.
    mutating func took(_ count: Int, now: Double) {
        let number = Int(now.rounded(.down))
        let place = abs(number % Self.memory)
        if seconds[place].number != number { seconds[place] = Second(number: number) }
        seconds[place].taken += count
    }

    /// Posts the hub took in the best of the last ten seconds.
    func best(now: Double) -> Int {
        let number = Int(now.rounded(.down))
        return seconds.filter { $0.number > number - Self.memory && $0.number <= number }.map(\.taken).max() ?? 0
    }

    /// A post was refused because all of us are too fast.
    ///
    /// - Parameter leftAt: when it left. What left before the last time we slowed down says nothing about the speed since.
    /// - Returns: posts per second the hub took lately, if that is reason to slow down: at most once a second.
    mutating func throttled(leftAt: Double, now: Double) -> Double? {
        guard leftAt >= slowedAt, now - slowedAt >= 1 else { return nil }
        slowedAt = now
        return Double(best(now: now))
    }

    /// Whether an answer to a question asked at `askedAt` may be too old to know that we slowed down.
    func isNewer(than askedAt: Double) -> Bool { slowedAt >= askedAt }
}
