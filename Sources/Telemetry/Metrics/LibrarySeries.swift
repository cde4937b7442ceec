import CoreMetrics

/// A series of a library's metric. The library holds it, and counts without asking the registry.
protocol LibrarySeries: AnyObject, Sendable {
    var place: LibraryMetrics.Place { get }
}

/// A counter or a gauge. Safe from any thread.
final class LibraryNumber: LibrarySeries {
    let place: LibraryMetrics.Place
    private let number = AtomicDouble()

    init(_ place: LibraryMetrics.Place) { self.place = place }

    var value: Double { number.value }
}

extension LibraryNumber: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler {
    func increment(by n: Int64) { increment(by: Double(n)) }

    /// What is not above zero, or not finite, is left out, as swift-metrics asks of counters and meters.
    func increment(by n: Double) {
        if n > 0, n.isFinite { number.add(n) }
    }

    func decrement(by n: Double) {
        if n > 0, n.isFinite { number.add(-n) }
    }

    func reset() { number.set(0) }

    func set(_ value: Int64) { number.set(Double(value)) }

    func set(_ value: Double) { number.set(value) }

    func record(_ value: Int64) { number.set(Double(value)) }

    func record(_ value: Double) { number.set(value) }
}

/// A timer, or a recorder that aggregates. Safe from any thread.
final class LibraryHistogram: LibrarySeries {
    /// Seconds.
    static let durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    /// Of any unit.
    static let values = [0.001, 0.01, 0.1, 1, 10, 100, 1_000, 10_000, 100_000, 1e6, 1e7, 1e8, 1e9]

    let place: LibraryMetrics.Place
    private let seen: Histogram

    init(_ place: LibraryMetrics.Place, bounds: [Double]) {
        self.place = place
        seen = Histogram(bounds: bounds)
    }

    var reading: Histogram.Reading { seen.reading }
}

extension LibraryHistogram: TimerHandler, RecorderHandler {
    func recordNanoseconds(_ duration: Int64) { seen.observe(Double(duration) / 1e9) }

    func record(_ value: Int64) { seen.observe(Double(value)) }

    func record(_ value: Double) { seen.observe(value) }
}
