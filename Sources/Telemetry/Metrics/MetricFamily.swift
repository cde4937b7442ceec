/// One metric: its name, the labels of its series, and what it means. Its series are in a `MetricsRegistry`.
public struct MetricFamily: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// Only grows, from 0 at the start of the process.
        case counter
        case gauge
        /// Counts values by the smallest of these upper bounds that they do not exceed; ascending.
        case histogram([Double])
    }

    /// As it is exposed, with prefix; that of a counter ends with `_total`.
    public let name: String
    public let kind: Kind
    /// Names of the labels, in the order of the values that a series is made with.
    public let labels: [String]
    /// One line. Plain text, with the unit.
    public let help: String

    public init(_ name: String, _ kind: Kind, labels: [String] = [], _ help: String) {
        (self.name, self.kind, self.labels, self.help) = (name, kind, labels, help)
    }
    /// The names that a page has for it, in one format or the other. No other metric may have one of them.
    var namesOnPage: [String] {
        switch kind {
        case .counter: [name] + (name.hasSuffix("_total") ? [String(name.dropLast(6))] : [])
        case .gauge: [name]
        case .histogram: [name, name + "_bucket", name + "_sum", name + "_count"]
        }
    }
}
