import Synchronization

/// All metrics of the process. A reload runs two workers side by side; both count here, so counters go on.
///
/// A series is made once, and kept by the code that counts: counting asks the registry nothing. What has a value already, such
/// as a window, is read by a source when the metrics are asked for.
public final class MetricsRegistry: Sendable {
    private struct Key: Hashable {
        var family: MetricFamily
        var labels: [String]
    }

    private enum Series: Sendable {
        case counter(Counter)
        case table(CounterTable)
        case histogram(Histogram)
    }

    private struct State {
        var series: [Key: Series] = [:]
        var sources: [Int: @Sendable (inout MetricsReading) -> Void] = [:]
        var lastSource = 0
        /// What the counters of sources that are removed said at their end: counters go on.
        var ended = MetricsReading()
        /// Hubs that left the settings, with the time of that (monotonic seconds).
        var left: [String: Double] = [:]
    }

    /// Seconds for which the series of a hub that left the settings are still exposed.
    public static let keepSeconds = 300.0

    private let state = Mutex(State())

    public init() {}

    // MARK: Series

    // A metric asked for as what it is not is a mistake in the list of metrics, which no input can cause: the process ends
    // when the worker begins, before anything is sent, and every test of a worker finds it.

    /// - Parameter step: what one step is worth in the unit of the metric. Default: 1.
    public func counter(_ family: MetricFamily, _ labels: String..., step: Double = 1) -> Counter {
        let made = series(family, labels) { .counter(Counter(step: step)) }
        guard case .counter(let counter) = made else { preconditionFailure("\(family.name) is no single counter") }
        return counter
    }

    /// - Parameters:
    ///   - labels: the first ones.
    ///   - count: numbers that may be counted, from 0 on.
    ///   - names: the values of the other labels for a number; nil: not exposed.
    public func table(
        _ family: MetricFamily, _ labels: String..., count: Int, names: @escaping @Sendable (Int) -> [String]?
    ) -> CounterTable {
        let made = series(family, labels) { .table(CounterTable(count: count, names: names)) }
        guard case .table(let table) = made else { preconditionFailure("\(family.name) is no table of counters") }
        return table
    }

    public func histogram(_ family: MetricFamily, _ labels: String...) -> Histogram {
        guard case .histogram(let bounds) = family.kind else { preconditionFailure("\(family.name) is no histogram") }
        let made = series(family, labels) { .histogram(Histogram(bounds: bounds)) }
        guard case .histogram(let histogram) = made else { preconditionFailure("\(family.name) is no histogram") }
        return histogram
    }

    private func series(_ family: MetricFamily, _ labels: [String], _ make: () -> Series) -> Series {
        state.withLock { state in
            let key = Key(family: family, labels: labels)
            if let known = state.series[key] { return known }
            let new = make()
            state.series[key] = new
            return new
        }
    }

    // MARK: Sources

    /// Calls `read` each time the metrics are asked for, until `remove`. It may be called from several threads at once.
    ///
    /// - Returns: the number for `remove`.
    public func add(_ read: @escaping @Sendable (inout MetricsReading) -> Void) -> Int {
        state.withLock { state in
            state.lastSource += 1
            state.sources[state.lastSource] = read
            return state.lastSource
        }
    }

    /// Stops asking the source. The last values of its counters stay exposed; its gauges do not.
    public func remove(_ source: Int) {
        guard let read = state.withLock({ $0.sources[source] }) else { return }
        var last = MetricsReading()
        read(&last)
        // In one step: a reading without both would look like a restart of the process.
        state.withLock { state in
            guard state.sources.removeValue(forKey: source) != nil else { return }
            state.ended.add(countersOf: last)
        }
    }

    // MARK: Hubs

    /// These hubs are served now. The series of the others end after `keepSeconds`, unless the hub returns before.
    ///
    /// - Parameter now: monotonic seconds.
    public func serves(_ hubs: Set<String>, now: Double) {
        state.withLock { state in
            let known = Set(state.series.keys.compactMap(Self.hub)).union(state.ended.hubs)
            for hub in known where hubs.contains(hub) { state.left[hub] = nil }
            for hub in known.subtracting(hubs) where state.left[hub] == nil { state.left[hub] = now }
        }
    }

    private static func hub(of key: Key) -> String? { key.family.labels.first == "hub" ? key.labels.first : nil }

    // MARK: Reading

    /// - Parameter now: monotonic seconds.
    public func reading(now: Double) -> MetricsReading {
        let (series, sources, ended) = state.withLock { state in
            let over = Set(state.left.filter { now - $0.value >= Self.keepSeconds }.keys)
            if !over.isEmpty {
                state.series = state.series.filter { key, _ in Self.hub(of: key).map { !over.contains($0) } ?? true }
                state.ended.forget(hubs: over)
                state.left = state.left.filter { !over.contains($0.key) }
            }
            return (state.series, state.sources, state.ended)
        }
        var reading = ended
        for (key, series) in series {
            switch series {
            case .counter(let counter): reading.add(counter.value, to: key.family, labels: key.labels)
            case .table(let table):
                for (labels, value) in table.values { reading.add(value, to: key.family, labels: key.labels + labels) }
            case .histogram(let histogram):
                let seen = histogram.reading
                if seen.count > 0 { reading.set(seen, of: key.family, labels: key.labels) }
            }
        }
        for source in sources.sorted(by: { $0.key < $1.key }) { source.value(&reading) }
        return reading
    }
}
