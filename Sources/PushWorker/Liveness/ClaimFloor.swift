/// From which id on a heartbeat looks through `push.claim`. Pure.
///
/// Claims that ended long ago lie below, and while an old snapshot keeps vacuum away, a look through them costs more
/// each day. A claim gets its id a moment before other sessions see its row. So the floor stays behind the newest id by
/// some time, and once an hour a heartbeat looks through everything: a claim statement may stand still for longer.
struct ClaimFloor {
    /// Newest ids that heartbeats told, in order of time, beginning with the last one that is old enough.
    private var newest: [(id: Int64, at: Double)]
    /// Claims of workers that have no row any more; nobody else names them.
    private var orphans: [Int64] = []
    private var allSeenAt: Double?
    /// Seconds by which the floor stays behind.
    let lag: Double

    /// Seconds between two looks through everything.
    static let everythingEvery = 3_600.0

    /// - Parameters:
    ///   - lowest: from registering: no claim of ours has a lower id.
    ///   - now: monotonic seconds.
    init(lowest: Int64, lag: Double, now: Double) {
        newest = [(lowest, now)]
        self.lag = lag
    }

    /// - Parameter held: the lowest claim that we hold, if any.
    /// - Returns: the lowest id that still matters; nil: look through everything.
    mutating func next(held: Int64?, now: Double) -> Int64? {
        guard let last = allSeenAt, now - last < Self.everythingEvery else { return nil }
        if let old = newest.lastIndex(where: { now - $0.at >= lag }) { newest.removeFirst(old) }
        return ([newest[0].id] + orphans + (held.map { [$0] } ?? [])).min()
    }

    /// A heartbeat was answered.
    ///
    /// - Parameters:
    ///   - from: what `next` gave it.
    ///   - newest: the newest id of any claim.
    ///   - orphans: claims of workers without a row.
    mutating func saw(from: Int64?, newest id: Int64, orphans: [Int64], now: Double) {
        if from == nil { allSeenAt = now }
        newest.append((id, now))
        self.orphans = orphans
    }
}
