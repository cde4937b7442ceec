import Synchronization

/// Values counted by size, in fixed buckets. An observation is two atomic adds: no lock, no allocation. Safe from any
/// thread.
public final class Histogram: Sendable {
    private let bounds: [Double]
    /// One more than bounds: the last has what exceeds all of them.
    private let counts: AtomicCounts
    private let millionths = Atomic<Int>(0)

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = AtomicCounts(bounds.count + 1)
    }

    /// - Parameters:
    ///   - value: in the unit of the metric; kept to a millionth of it. Below zero, after a clock was set back, it counts
    ///     as zero; what is not a number is not counted.
    ///   - times: how often it was seen.
    public func observe(_ value: Double, times: Int = 1) {
        guard value.isFinite else { return }
        let value = min(max(0, value), 1e9)
        var bucket = 0
        while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
        counts.add(times, at: bucket)
        millionths.add(Int(value * 1e6) * times, ordering: .relaxed)
    }

    /// What was seen until now: how many values in each bucket, and their sum.
    struct Reading: Sendable, Equatable {
        var bounds: [Double]
        var counts: [Int]
        var sum: Double

        var count: Int { counts.reduce(0, +) }
    }

    var reading: Reading {
        Reading(
            bounds: bounds, counts: counts.values,
            sum: Double(millionths.load(ordering: .relaxed)) / 1e6)
    }
}
