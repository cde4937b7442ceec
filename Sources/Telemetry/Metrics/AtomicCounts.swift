import Synchronization

/// A fixed number of counters side by side. Safe from any thread.
final class AtomicCounts: Sendable {
    let count: Int
    // Never changes after init, and what it points to is touched by atomic operations alone until deinit.
    private nonisolated(unsafe) let first: UnsafeMutablePointer<Atomic<Int>>

    init(_ count: Int) {
        self.count = count
        first = .allocate(capacity: count)
        for place in 0..<count { (first + place).initialize(to: Atomic(0)) }
    }

    deinit {
        first.deinitialize(count: count)
        first.deallocate()
    }

    func add(_ n: Int, at place: Int) {
        // Beyond these is memory of others: a mistake of ours ends the process before it writes there.
        precondition(place >= 0 && place < count)
        first[place].add(n, ordering: .relaxed)
    }

    var values: [Int] { (0..<count).map { first[$0].load(ordering: .relaxed) } }
}
