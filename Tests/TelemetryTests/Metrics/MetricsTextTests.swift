import Testing

@testable import Telemetry

/// The page that Prometheus reads.
@Suite struct MetricsTextTests {
    private static let requests = MetricFamily("test_requests_total", .counter, labels: ["hub", "code"], "Requests")
    private static let seconds = MetricFamily("test_seconds", .histogram([0.5, 1]), labels: ["hub"], "Time")
    private static let depth = MetricFamily("test_depth", .gauge, "A \\ and\na \"quote\"")

    private static func page(_ format: MetricsText.Format, _ fill: (MetricsRegistry) -> Void) -> String {
        let registry = MetricsRegistry()
        fill(registry)
        return String(decoding: MetricsText.page(of: registry.reading(now: 0), in: format), as: UTF8.self)
    }

    private static func fill(_ registry: MetricsRegistry) {
        registry.counter(requests, "a\"b\\c\nd", "200").add(3)
        let histogram = registry.histogram(seconds, "news")
        for value in [0.25, 0.5, 0.75, 4] { histogram.observe(value) }
        _ = registry.add { $0.set(-1.5, of: depth) }
    }

    @Test func familiesAndSeriesAreInOrderAndEscaped() {
        #expect(
            Self.page(.prometheus, Self.fill) == """
                # HELP test_depth A \\\\ and\\na "quote"
                # TYPE test_depth gauge
                test_depth -1.5
                # HELP test_requests_total Requests
                # TYPE test_requests_total counter
                test_requests_total{hub="a\\"b\\\\c\\nd",code="200"} 3
                # HELP test_seconds Time
                # TYPE test_seconds histogram
                test_seconds_bucket{hub="news",le="0.5"} 2
                test_seconds_bucket{hub="news",le="1.0"} 3
                test_seconds_bucket{hub="news",le="+Inf"} 4
                test_seconds_sum{hub="news"} 5.5
                test_seconds_count{hub="news"} 4

                """)
    }

    @Test func openMetricsNamesCountersWithoutTotalAndHasAnEnd() {
        let page = Self.page(.openMetrics, Self.fill)
        #expect(page.contains("# TYPE test_requests counter\ntest_requests_total{"))
        #expect(page.contains(#"# HELP test_depth A \\ and\na \"quote\""#))
        #expect(page.hasSuffix("\n# EOF\n"))
        #expect(Self.page(.openMetrics) { _ in } == "# EOF\n")
        #expect(Self.page(.prometheus) { _ in } == "")
    }

    @Test(arguments: [
        (nil, MetricsText.Format.prometheus), ("", .prometheus), ("text/plain", .prometheus), ("*/*", .prometheus),
        ("application/openmetrics-text", .openMetrics), ("Application/OpenMetrics-Text; version=1.0.0", .openMetrics),
        ("text/plain;q=0.9, application/openmetrics-text;version=0.0.1;q=0.5", .openMetrics),
        ("application/openmetrics-text;q=0", .prometheus), ("application/openmetrics-textile", .prometheus),
    ])
    func theFormatIsTheBetterOneThatIsAccepted(accept: String?, format: MetricsText.Format) {
        #expect(MetricsText.Format(accept: accept) == format)
    }

    @Test func numbersAreWrittenAsPrometheusReadsThem() {
        let values = [0, 1e15, 0.1, .infinity, -.infinity, .nan]
        let families = values.indices.map { MetricFamily("v\($0)", .gauge, "A value") }
        let page = Self.page(.prometheus) { registry in
            _ = registry.add { for (family, value) in zip(families, values) { $0.set(value, of: family) } }
        }
        let written = page.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(written == ["v0 0", "v1 1000000000000000", "v2 0.1", "v3 +Inf", "v4 -Inf", "v5 NaN"])
    }
}
