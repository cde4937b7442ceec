import Foundation
import ProgramSupport
import Testing

/// A page of metrics as prometheus-client, the library of Prometheus' makers for Python, reads it.
enum MetricsParser: String, CaseIterable {
    case plain = "prometheus_client.parser"
    case openMetrics = "prometheus_client.openmetrics.parser"

    /// Every sample by name and labels: `name{a=1,b=2}`.
    ///
    /// - Throws: what the parser says to a page that it refuses, or to one with a sample that is there twice.
    func samples(_ page: String) async throws -> [String: Double] {
        let program = """
            import json, sys
            from \(rawValue) import text_string_to_metric_families as families
            found = {}
            for family in families(sys.stdin.buffer.read().decode()):
                assert family.type in ("counter", "gauge", "histogram"), family
                assert family.documentation, family
                for sample in family.samples:
                    labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
                    key = sample.name + "{" + labels + "}"
                    assert key not in found, key
                    found[key] = sample.value
            print(json.dumps(found))
            """
        let ended = try await Tool.readers(["-c", program], input: page)
        try #require(ended.status == 0, "\(ended)")
        return try #require(
            try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Double], "\(ended)")
    }
}
