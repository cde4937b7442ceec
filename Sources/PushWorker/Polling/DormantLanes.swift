/// Lanes that have had nothing to do for a while, in a worker with many hubs: a look of their own finds them all at once
/// (`Queue.dueLanes`, `DeviceQueue.dueHubs`), however many there are. Pure.
///
/// A lane that works now and then is asked for with its cursor instead, which costs a little for each lane and reads no dead
/// entry twice.
struct DormantLanes<ID: Hashable, Lane> {
    /// Seconds without anything due after which a lane rests; in a worker with many lanes it is dormant then.
    static var quietSeconds: Double { 60 }
    /// With no more lanes than these, none is dormant: one statement asks for all of them in less than half a millisecond.
    static var fewLanes: Int { 96 }
    /// Seconds between two looks, at least. They may cost a fiftieth of the time.
    static var pause: Double { 0.1 }
    static var share: Double { 50 }

    private var lanes: [ID: Lane] = [:]
    /// Monotonic seconds.
    private var nextLookAt = -Double.infinity

    var count: Int { lanes.count }

    mutating func add(_ lane: Lane, _ id: ID) { lanes[id] = lane }

    /// Whether it is time for a look.
    ///
    /// - Parameter now: monotonic seconds.
    func isDue(now: Double) -> Bool { !lanes.isEmpty && now >= nextLookAt }

    /// Seconds until it is time.
    func untilLook(now: Double) -> Double { max(0, nextLookAt - now) }

    /// The look begins at once: something may have become due long ago.
    mutating func hurry() { nextLookAt = -.infinity }

    /// A look has ended.
    ///
    /// - Parameters:
    ///   - due: what it found, of other workers too.
    ///   - now, seconds: when it ended, and how long it took.
    ///   - mayWork: whether the lane's hub takes something now.
    /// - Returns: the lanes to wake, which are dormant no longer.
    mutating func looked(
        _ due: Set<ID>, now: Double, seconds: Double, mayWork: (Lane) -> Bool
    ) -> [Lane] {
        nextLookAt = now + max(Self.pause, Self.share * seconds)
        return due.compactMap { id in
            guard let lane = lanes[id], mayWork(lane) else { return nil }
            lanes[id] = nil
            return lane
        }
    }

    mutating func removeAll() { lanes = [:] }

    mutating func change(_ body: (inout Lane) -> Void) {
        for id in lanes.keys {
            guard var lane = lanes[id] else { continue }
            body(&lane)
            lanes[id] = lane
        }
    }
}
