import Store

/// Judges which workers are dead. Pure: by their beats and our own monotonic clock, never by anybody's wall clock.
///
/// A worker is dead when its beats stood still for one uninterrupted lease of our own view; after we could not look
/// ourselves, everybody's lease begins anew (storage.md section 3, point 6).
struct LeaseMonitor {
    private struct Sight {
        var beats: Int64
        /// Monotonic seconds.
        var since: Double
    }

    private var sights: [Int32: Sight] = [:]
    let lease: Double

    init(lease: Double) { self.lease = lease }

    /// - Returns: the workers that are dead now; `me` never is.
    mutating func dead(in seen: [Workers.Seen], me: Int32, now: Double) -> [Int32] {
        var dead: [Int32] = []
        var next: [Int32: Sight] = [:]
        for worker in seen where worker.id != me {
            if let sight = sights[worker.id], sight.beats == worker.beats {
                next[worker.id] = sight
                if now - sight.since >= lease { dead.append(worker.id) }
            } else {
                next[worker.id] = Sight(beats: worker.beats, since: now)
            }
        }
        sights = next
        return dead
    }

    /// We could not look: what we saw before says nothing any more.
    mutating func interrupted() { sights.removeAll() }
}
