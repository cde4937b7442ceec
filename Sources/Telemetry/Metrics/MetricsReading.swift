/// The values of all metrics at one moment.
///
/// A value with another number of labels than its metric has ends the process: a mistake of ours, which no input can cause,
/// and which the first request in a test finds.
public struct MetricsReading: Sendable {
    enum Value: Sendable, Equatable {
        case number(Double)
        case histogram(Histogram.Reading)
    }

    /// By metric, and within it by the values of its labels.
    private(set) var series: [MetricFamily: [[String]: Value]] = [:]

    public init() {}

    /// Adds to what has these labels. Two workers of one process, during a reload, have the same hubs.
    ///
    /// - Parameter labels: as many as the family has.
    public mutating func add(_ value: Double, to family: MetricFamily, _ labels: String...) {
        add(value, to: family, labels: labels)
    }

    /// Sets it, whatever has these labels already.
    public mutating func set(_ value: Double, of family: MetricFamily, _ labels: String...) {
        set(value, of: family, labels: labels)
    }

    mutating func set(_ value: Double, of family: MetricFamily, labels: [String]) {
        precondition(labels.count == family.labels.count, "\(family.name) has the labels \(family.labels)")
        series[family, default: [:]][labels] = .number(value)
    }

    mutating func add(_ value: Double, to family: MetricFamily, labels: [String]) {
        precondition(labels.count == family.labels.count, "\(family.name) has the labels \(family.labels)")
        var sum = value
        if case .number(let before)? = series[family]?[labels] { sum += before }
        series[family, default: [:]][labels] = .number(sum)
    }

    mutating func set(_ reading: Histogram.Reading, of family: MetricFamily, labels: [String]) {
        series[family, default: [:]][labels] = .histogram(reading)
    }

    // MARK: What goes on when its source has ended

    /// Adds the counters of another reading, and nothing else of it.
    mutating func add(countersOf other: MetricsReading) {
        for (family, values) in other.series where family.kind == .counter {
            for (labels, value) in values {
                if case .number(let number) = value { add(number, to: family, labels: labels) }
            }
        }
    }

    /// The hubs that series are about.
    var hubs: Set<String> {
        Set(series.filter { Self.isAboutHubs($0.key) }.flatMap { $0.value.keys.compactMap(\.first) })
    }

    mutating func forget(hubs: Set<String>) {
        for family in series.keys where Self.isAboutHubs(family) {
            series[family] = series[family]?.filter { labels, _ in labels.first.map { !hubs.contains($0) } ?? true }
        }
    }

    private static func isAboutHubs(_ family: MetricFamily) -> Bool { family.labels.first == "hub" }
}
