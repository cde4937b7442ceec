/// Values counted by size, in fixed buckets. An observation is two atomic adds: no lock, no allocation. Safe from any
/// thread.
public final class Histogram: Sendable {
    private let bounds: [Double]
    /// One more than bounds: the last has what exceeds all of them.
    private let counts: AtomicCounts
    private let sum = AtomicDouble()

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = AtomicCounts(bounds.count + 1)
    }

    /// - Parameters:
    ///   - value: in the unit of the metric. Below zero, after a clock was set back, it counts as zero; what is not finite is
    ///     not counted.
    ///   - times: how often it was seen.
    public func observe(_ value: Double, times: Int = 1) {
        guard value.isFinite else { return }
        let value = max(0, value)
        var bucket = 0
        while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
        counts.add(times, at: bucket)
        sum.add(value * Double(times))
    }

    /// What was seen until now: how many values in each bucket, and their sum.
    struct Reading: Sendable, Equatable {
        var bounds: [Double]
        var counts: [Int]
        var sum: Double

        var count: Int { counts.reduce(0, +) }
    }

    var reading: Reading {
        Reading(bounds: bounds, counts: counts.values, sum: sum.value)
    }
}
