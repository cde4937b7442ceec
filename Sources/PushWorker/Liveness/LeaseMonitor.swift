import Store

/// Decides which workers are dead. Pure: by their heartbeats and our own monotonic clock, never by a wall clock.
///
/// A worker is dead when we saw its count of heartbeats unchanged for one whole lease without interruption: for its own
/// lease, because workers may be set up differently. After a look that failed, every lease begins anew (docs/storage.md,
/// "Heartbeat and rescue").
struct LeaseMonitor {
    private struct Sighting {
        var beats: Int64
        /// Monotonic seconds.
        var since: Double
    }

    private var sightings: [WorkerID: Sighting] = [:]
    /// Of workers that have no row any more.
    let lease: Double

    init(lease: Double) { self.lease = lease }

    /// - Parameter others: all workers but this one.
    /// - Returns: the workers that are dead now.
    mutating func dead(in others: [Workers.Seen], now: Double) -> [WorkerID] {
        var dead: [WorkerID] = []
        var next: [WorkerID: Sighting] = [:]
        for worker in others {
            if let sighting = sightings[worker.id], sighting.beats == worker.beats {
                next[worker.id] = sighting
                if now - sighting.since >= worker.leaseSeconds ?? lease { dead.append(worker.id) }
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
