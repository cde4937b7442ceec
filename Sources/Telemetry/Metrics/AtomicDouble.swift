import Synchronization

/// A number that any thread may change: no lock, no allocation.
struct AtomicDouble: ~Copyable {
    private let bits = Atomic<UInt64>(0)

    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func add(_ n: Double) {
        var known = bits.load(ordering: .relaxed)
        while true {
            let sum = Double(bitPattern: known) + n
            let (exchanged, now) = bits.weakCompareExchange(
                expected: known, desired: sum.bitPattern, ordering: .relaxed)
            if exchanged { return }
            known = now
        }
    }
}
