import CommandLineTool

/// Measurements of one kind, for their percentiles. Empty: every percentile is 0.
struct Samples: Sendable, Equatable {
    private let sorted: [Double]

    init(_ values: [Double]) { sorted = values.sorted() }

    var count: Int { sorted.count }
    var largest: Double { sorted.last ?? 0 }
    var median: Double { percentile(0.5) }
    var p90: Double { percentile(0.9) }
    var p99: Double { percentile(0.99) }

    /// The smallest value that at least this share of all do not exceed.
    func percentile(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return sorted[min(sorted.count, max(1, rank)) - 1]
    }

    /// Milliseconds.
    var json: JSONOutput {
        .object([
            "p50": .milliseconds(median), "p90": .milliseconds(p90), "p99": .milliseconds(p99),
            "max": .milliseconds(largest), "samples": .number(count),
        ])
    }
}

extension JSONOutput {
    /// - Parameter seconds: nil: null.
    static func milliseconds(_ seconds: Double?) -> JSONOutput {
        let milliseconds = seconds.map { $0 * 1_000 }
        return .decimal(milliseconds)
    }
}
