/// Metrics as Prometheus reads them. Pure.
///
/// The formats: Prometheus text 0.0.4 and OpenMetrics 1.0, which differ in the names of counters, in escaping, and in the
/// last line.
public struct MetricsText: Sendable {
    public enum Format: Sendable, Equatable {
        case prometheus
        case openMetrics

        /// The better one that a client accepts.
        ///
        /// - Parameter accept: its header `Accept`; nil: none.
        public init(accept: String?) {
            let accepted = (accept ?? "").split(separator: ",").contains { part in
                let words = part.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
                return words.first == "application/openmetrics-text" && !words.contains("q=0")
            }
            self = accepted ? .openMetrics : .prometheus
        }

        public var contentType: String {
            switch self {
            case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
            case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
            }
        }
    }

    private let format: Format
    private var bytes: [UInt8] = []

    /// The whole page: families by name, series by their labels.
    public static func page(of reading: MetricsReading, in format: Format) -> [UInt8] {
        var text = MetricsText(format: format)
        for (family, series) in reading.series.sorted(by: { $0.key.name < $1.key.name }) {
            text.write(family, series)
        }
        if format == .openMetrics { text.bytes += "# EOF\n".utf8 }
        return text.bytes
    }

    private init(format: Format) { self.format = format }

    private mutating func write(_ family: MetricFamily, _ series: [[String]: MetricsReading.Value]) {
        var name = family.name
        if format == .openMetrics, case .counter = family.kind, name.hasSuffix("_total") { name.removeLast(6) }
        let type =
            switch family.kind {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        bytes += "# HELP \(name) \(escaped(family.help, quotes: format == .openMetrics))\n# TYPE \(name) \(type)\n".utf8
        for (labels, value) in series.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let pairs = zip(family.labels, labels).map { "\($0)=\"\(escaped($1, quotes: true))\"" }
                .joined(separator: ",")
            switch value {
            case .number(let number): line(family.name, pairs, Self.shown(number))
            case .histogram(let reading): write(reading, of: family.name, pairs)
            }
        }
    }

    private mutating func write(_ reading: Histogram.Reading, of name: String, _ pairs: String) {
        let before = pairs.isEmpty ? "" : pairs + ","
        var count = 0
        for (bound, n) in zip(reading.bounds + [.infinity], reading.counts) {
            count += n
            line(name + "_bucket", before + "le=\"\(bound.isFinite ? "\(bound)" : "+Inf")\"", "\(count)")
        }
        line(name + "_sum", pairs, Self.shown(reading.sum))
        line(name + "_count", pairs, "\(count)")
    }

    private mutating func line(_ name: String, _ pairs: String, _ value: String) {
        bytes += name.utf8
        if !pairs.isEmpty {
            bytes.append(UInt8(ascii: "{"))
            bytes += pairs.utf8
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: " "))
        bytes += value.utf8
        bytes.append(UInt8(ascii: "\n"))
    }

    private static func shown(_ number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number > 0 ? "+Inf" : "-Inf" }
        return Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    /// `\` and line breaks, and quotation marks where they would end a text.
    private func escaped(_ text: String, quotes: Bool) -> String {
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x0A || (quotes && $0 == 0x22) }) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
