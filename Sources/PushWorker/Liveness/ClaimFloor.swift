/// From which id on a heartbeat looks through `push.claim`. Pure.
///
/// Claims that ended long ago lie below, and while an old snapshot keeps vacuum away, a look through them costs more
/// each day. A claim gets its id a moment before other sessions see its row. So the floor stays behind the newest id by
/// some time, and once an hour a heartbeat looks through everything: a claim statement may stand still for longer. For an hour
/// after a worker died it does so once a lease: nobody else names a claim that such a statement of that worker makes.
struct ClaimFloor {
    /// Newest ids that heartbeats returned, in order of time, beginning with the last one that is old enough.
    private var newest: [(id: Int64, at: Double)]
    /// Claims of workers that have no row any more; nobody else names them.
    private var orphans: [Int64] = []
    private var allSeenAt: Double?
    private var diedAt: Double?
    private let lease: Double

    /// Seconds by which the floor stays behind.
    private var lag: Double { 2 * lease }

    /// Seconds between two looks through everything, and for which a dead worker's claims may still come.
    static let everythingEvery = 3_600.0

    /// - Parameters:
    ///   - lowest: from registering: no claim of ours has a lower id.
    ///   - lease: seconds.
    ///   - now: monotonic seconds.
    init(lowest: Int64, lease: Double, now: Double) {
        newest = [(lowest, now)]
        self.lease = lease
    }

    /// - Parameter held: the lowest claim that we hold, if any.
    /// - Returns: the lowest id that still matters; nil: look through everything.
    mutating func next(held: Int64?, now: Double) -> Int64? {
        let isAfterDeath = diedAt.map { now - $0 < Self.everythingEvery } ?? false
        guard let last = allSeenAt, now - last < (isAfterDeath ? lease : Self.everythingEvery) else { return nil }
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

    /// Another worker is dead.
    mutating func sawDead(now: Double) { diedAt = now }
}
