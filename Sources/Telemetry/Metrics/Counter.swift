import Synchronization

/// A number that only grows. An increment is one atomic add: no lock, no allocation. Safe from any thread.
public final class Counter: Sendable {
    private let steps = Atomic<Int>(0)
    /// What one step of `add` is worth, in the unit of the metric.
    private let step: Double

    init(step: Double) { self.step = step }

    /// - Parameter n: not negative.
    public func add(_ n: Int = 1) { steps.add(n, ordering: .relaxed) }

    var value: Double { Double(steps.load(ordering: .relaxed)) * step }
}
