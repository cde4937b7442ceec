import CoreMetrics
import Logging
import Synchronization

/// Sends what libraries count with swift-metrics to the page of this registry. Call it once in a process, first in `main`: what
/// a library made before is lost.
///
/// - Parameter log: gets the name of each dropped metric, once each.
public func bootstrapMetrics(_ registry: MetricsRegistry, log: Logger) {
    MetricsSystem.bootstrap(LibraryMetrics(in: registry, log: log))
}

/// What libraries count with swift-metrics, as metrics of a `MetricsRegistry`. Our own code counts with the registry itself.
///
/// A library's name is kept, with `_` for what Prometheus does not take. A counter ends with `_total`, a timer with `_seconds`.
/// Gauges and meters are gauges; timers, and recorders that aggregate, are histograms. A value below zero counts as zero in a
/// histogram.
///
/// A library may make any number of series, so they are bounded. A series beyond the bound gets a handle that counts
/// nothing; the log and `MetricFamily.libraryMetricsDropped` report it, once for each name.
public final class LibraryMetrics: Sendable {
    /// Series of one name.
    static let mostOfName = 100
    /// Series in all.
    static let most = 1_000
    /// Bytes in the name and the labels of a series.
    static let mostBytes = 1_000

    struct Place: Sendable, Hashable {
        var name: String
        var labels: [LibraryNames.Label]
    }

    private struct Family {
        var kind: MetricFamily.Kind
        var help: String
        var series: [[LibraryNames.Label]: any LibrarySeries] = [:]
    }

    private struct State {
        var families: [String: Family] = [:]
        /// On the page, of libraries.
        var names: Set<String> = []
        var series = 0
        /// As the libraries call them. At most `most`.
        var dropped: Set<String> = []
    }

    /// What the names of our own metrics begin with.
    private static let ours = ["fanfare_", "process_"]

    private let state: Mutex<State>
    private let log: Logger

    /// - Parameters:
    ///   - registry: exposes these metrics for as long as it lives.
    ///   - log: gets the name of each dropped metric, once each.
    public init(in registry: MetricsRegistry, log: Logger) {
        state = Mutex(State())
        self.log = log
        _ = registry.add { [self] in collect(into: &$0) }
    }

    // MARK: Series

    /// - Returns: the series with this name and these dimensions, be it new or known; nil: it is dropped.
    func series<Series: LibrarySeries>(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricFamily.Kind, suffix: String = "",
        _ make: (Place) -> Series
    ) -> Series? {
        let place = Place(
            name: LibraryNames.metric(label, suffix: suffix), labels: LibraryNames.labels(dimensions))
        let family = MetricFamily(place.name, kind, "Of a library, which calls it \(label)")
        let (series, refusal) = state.withLock { state -> (Series?, String?) in
            if let known = state.families[place.name], known.kind == kind, let series = known.series[place.labels] {
                return (series as? Series, nil)
            }
            if let why = Self.refusal(of: place, in: family, state) {
                let isNew = state.dropped.count < Self.most && state.dropped.insert(label).inserted
                return (nil, isNew ? why : nil)
            }
            let series = make(place)
            state.names.formUnion(family.namesOnPage)
            state.families[place.name, default: Family(kind: kind, help: family.help)].series[place.labels] = series
            state.series += 1
            return (series, nil)
        }
        if let refusal {
            log.warning("a metric of a library is not exposed", metadata: ["metric": "\(label)", "why": "\(refusal)"])
        }
        return series
    }

    /// Why there cannot be this series; nil: there can.
    private static func refusal(of place: Place, in family: MetricFamily, _ state: State) -> String? {
        let bytes = place.labels.reduce(place.name.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        if bytes > mostBytes { return "its name and labels have more than \(mostBytes) bytes" }
        if let ours = ours.first(where: place.name.hasPrefix) {
            return "\(ours) begins the names of Fanfare's own metrics"
        }
        let known = state.families[place.name]
        if known.map({ $0.kind != family.kind }) ?? !state.names.isDisjoint(with: family.namesOnPage) {
            return "another metric has its name"
        }
        if known?.series.count ?? 0 >= mostOfName { return "it has more than \(mostOfName) series" }
        return state.series >= most ? "libraries have more than \(most) series" : nil
    }

    /// Its series is no longer exposed. The library may still count with it.
    func end(_ handler: AnyObject) {
        guard let series = handler as? any LibrarySeries else { return }
        let place = series.place
        state.withLock { state in
            // Another may have been made in its place since.
            guard let family = state.families[place.name], family.series[place.labels] === series else { return }
            state.series -= 1
            state.families[place.name]?.series[place.labels] = nil
            if family.series.count > 1 { return }
            state.families[place.name] = nil
            state.names.subtract(MetricFamily(place.name, family.kind, "").namesOnPage)
        }
    }

    // MARK: Reading

    private func collect(into reading: inout MetricsReading) {
        let (families, dropped) = state.withLock { ($0.families, $0.dropped.count) }
        reading.set(Double(dropped), of: .libraryMetricsDropped)
        for (name, family) in families {
            // Series of one name may have other labels. Prometheus takes a label without a value for a missing one.
            let labels = Set(family.series.keys.flatMap { $0.map(\.name) }).sorted()
            let told = MetricFamily(name, family.kind, labels: labels, family.help)
            for (own, series) in family.series {
                let values = labels.map { label in own.first { $0.name == label }?.value ?? "" }
                if let number = series as? LibraryNumber {
                    reading.set(number.value, of: told, labels: values)
                } else if let seen = (series as? LibraryHistogram)?.reading, seen.count > 0 {
                    reading.set(seen, of: told, labels: values)
                }
            }
        }
    }
}
