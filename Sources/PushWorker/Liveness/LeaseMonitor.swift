import Store

/// Decides which workers are dead. Pure: by their heartbeats and our own monotonic clock, never by a wall clock.
///
/// A worker is dead when we saw its count of heartbeats unchanged for one whole lease without interruption. After a look
/// that failed, every lease begins anew (docs/storage.md, "Heartbeat and rescue").
struct LeaseMonitor {
    private struct Sighting {
        var beats: Int64
        /// Monotonic seconds.
        var since: Double
    }

    private var sightings: [Int32: Sighting] = [:]
    let lease: Double

    init(lease: Double) { self.lease = lease }

    /// - Returns: the workers that are dead now, never `me`.
    mutating func dead(in seen: [Workers.Seen], me: Int32, now: Double) -> [Int32] {
        var dead: [Int32] = []
        var next: [Int32: Sighting] = [:]
        for worker in seen where worker.id != me {
            if let sighting = sightings[worker.id], sighting.beats == worker.beats {
                next[worker.id] = sighting
                if now - sighting.since >= lease { dead.append(worker.id) }
            } else {
                next[worker.id] = Sighting(beats: worker.beats, since: now)
            }
        }
        sightings = next
        return dead
    }

    /// A look failed: what we saw before says nothing any more.
    mutating func interrupted() { sightings.removeAll() }
}
