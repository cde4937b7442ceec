import Store
import Synchronization

/// How long a hub took to answer in the last minute: counts by size, in six slots of ten seconds.
///
/// A size is exact to an eighth of itself, and a hub that is idle has no counts, so that thousands of hubs cost little.
final class RecentLatency: Sendable {
    private struct Slot {
        /// Monotonic seconds by ten.
        var number = -1
        /// By `bucket`; empty: nothing was counted.
        var counts: [UInt32] = []
    }

    private static let seconds = 10.0
    private static let slots = 6
    /// What took longer counts as this: two minutes.
    private static let most = 131_071

    private let slots = Mutex([Slot](repeating: Slot(), count: slots))

    /// - Parameters:
    ///   - milliseconds: of each answer.
    ///   - now: monotonic seconds.
    func answered(_ milliseconds: some Collection<Int>, now: Double) {
        guard !milliseconds.isEmpty else { return }
        let number = Int(now / Self.seconds)
        slots.withLock { slots in
            let place = number % Self.slots
            if slots[place].number != number { slots[place] = Slot(number: number) }
            if slots[place].counts.isEmpty {
                slots[place].counts = [UInt32](repeating: 0, count: Self.bucket(of: Self.most) + 1)
            }
            for time in milliseconds { slots[place].counts[Self.bucket(of: time)] += 1 }
        }
    }

    /// - Parameter now: monotonic seconds.
    /// - Returns: nil: no answer came in the last minute.
    func percentiles(now: Double) -> HubReport.Latency? {
        let oldest = Int(now / Self.seconds) - Self.slots + 1
        var counts = [Int](repeating: 0, count: Self.bucket(of: Self.most) + 1)
        slots.withLock { slots in
            for slot in slots where slot.number >= oldest {
                for (bucket, count) in slot.counts.enumerated() { counts[bucket] += Int(count) }
            }
        }
        let total = counts.reduce(0, +)
        guard total > 0 else { return nil }
        func percentile(_ percent: Int) -> Double {
            var left = (total * percent + 99) / 100
            for (bucket, count) in counts.enumerated() {
                left -= count
                if left <= 0 { return Double(Self.highest(in: bucket)) }
            }
            return Double(Self.most)
        }
        return HubReport.Latency(p50: percentile(50), p95: percentile(95), p99: percentile(99))
    }

    /// Below 8 one for each millisecond, then eight for each power of two.
    static func bucket(of milliseconds: Int) -> Int {
        let value = min(max(0, milliseconds), most)
        guard value >= 8 else { return value }
        let power = Int.bitWidth - 1 - value.leadingZeroBitCount
        return (power - 2) * 8 + (value >> (power - 3)) & 7
    }

    /// The most milliseconds that count in a bucket.
    static func highest(in bucket: Int) -> Int {
        guard bucket >= 8 else { return bucket }
        let shift = bucket / 8 - 1
        return (9 + bucket % 8) << shift - 1
    }
}
