import Synchronization

/// Counters of one metric that differ in their last labels, by number: an increment is one atomic add, without looking up
/// a name. Each row takes memory only once something in it was counted. Safe from any thread.
public final class CounterTable: Sendable {
    /// Counters in a row.
    public static let width = 100

    /// A class, because what is atomic cannot be an element of an array.
    private final class LazyRow: Sendable {
        private let row = AtomicLazyReference<AtomicCounts>()

        var made: AtomicCounts? { row.load() }

        func get() -> AtomicCounts { row.load() ?? row.storeIfNil(AtomicCounts(CounterTable.width)) }
    }

    private let rows: [LazyRow]
    private let names: @Sendable (Int) -> [String]?

    /// - Parameters:
    ///   - count: numbers that may be counted, from 0 on.
    ///   - names: the values of the last labels for a number that was counted; nil: not exposed.
    init(count: Int, names: @escaping @Sendable (Int) -> [String]?) {
        rows = (0..<(count + Self.width - 1) / Self.width).map { _ in LazyRow() }
        self.names = names
    }

    /// - Parameters:
    ///   - n: not negative.
    ///   - number: outside the table it is not counted.
    public func add(_ n: Int = 1, at number: Int) {
        guard number >= 0, number / Self.width < rows.count else { return }
        rows[number / Self.width].get().add(n, at: number % Self.width)
    }

    /// What was counted, without zeros.
    var values: [(labels: [String], value: Double)] {
        rows.enumerated().flatMap { row, lazy in
            (lazy.made?.values ?? []).enumerated().compactMap { column, value in
                guard value > 0, let labels = names(row * Self.width + column) else { return nil }
                return (labels, Double(value))
            }
        }
    }
}
