/// How many recipients of a run to make messages of, so that what waits in front of the hub is neither empty nor long: at
/// most ten seconds of what the hub takes, and at most 50,000 messages. Pure.
///
/// What was expanded too early would stand in front of other bulk messages, and would have to be cancelled again.
struct ExpansionPace: Sendable, Equatable {
    /// The first slice, so that the first push leaves at once.
    static let first = 500
    /// Recipients in one slice (`push_worker.expand_v1`).
    static let largest = 10_000
    /// Messages that wait, before anything is known about the pace.
    static let least = 2_000
    static let most = 50_000
    /// Recipients in a slice at least, however many streams share what may wait.
    static let smallest = 20
    /// Seconds of sending that may wait.
    static let seconds = 10.0

    private struct Look: Sendable, Equatable {
        var at: Double
        /// Messages that workers had claimed by then.
        var claimed: Int64
    }

    private var last: Look?
    /// Messages a second that workers claim.
    private(set) var pace = 0.0

    /// - Parameters:
    ///   - ahead: messages that were made and not claimed.
    ///   - expanded: messages made so far.
    ///   - rate: of the run, messages a second; nil: none. Then `push_worker.expand_v1` itself spreads them and says when it is
    ///     too early.
    ///   - now: monotonic seconds.
    ///   - streams: of the same run and hub that can be expanded, such as one for each time zone: they share what may wait.
    /// - Returns: the size of the next slice; nil: enough waits.
    mutating func next(
        ahead: Int, expanded: Int64, rate: Double?, now: Double, streams: Int = 1
    ) -> Int? {
        learn(claimed: expanded - Int64(ahead), now: now)
        let first = max(Self.smallest, Self.first / max(1, streams))
        if expanded == 0 { return first }
        if let rate { return min(Self.largest, max(1, Int(2 * rate))) }
        let least = max(2 * Self.smallest, Self.least / max(1, streams))
        let target = min(max(least, Self.most / max(1, streams)), max(least, Int(pace * Self.seconds)))
        guard ahead * 2 < target else { return nil }
        return min(Self.largest, max(first, target - ahead))
    }

    private mutating func learn(claimed: Int64, now: Double) {
        guard let look = last else {
            last = Look(at: now, claimed: claimed)
            return
        }
        // Shorter than that, one claim of a thousand would be a pace.
        guard now - look.at >= 0.2 else { return }
        let seen = Double(max(0, claimed - look.claimed)) / (now - look.at)
        pace = seen > pace ? seen : pace * 0.8 + seen * 0.2
        last = Look(at: now, claimed: claimed)
    }
}
