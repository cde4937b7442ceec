/// What is counted of what leaves for others: spans, and the metrics of libraries. docs/metrics.md is made of these lists.
extension MetricFamily {
    public static let telemetry: [MetricFamily] = [
        .spansSent, .spansDropped, .libraryMetricsDropped,
    ]

    public static let spansSent = MetricFamily(
        "fanfare_spans_sent_total", .counter, "Spans that the OpenTelemetry collector took; only where one is set")
    public static let spansDropped = MetricFamily(
        "fanfare_spans_dropped_total", .counter,
        "Spans that it did not take, or that found no room while it was slow; only where one is set")
    static let libraryMetricsDropped = MetricFamily(
        "fanfare_library_metrics_dropped_total", .counter,
        "Metrics of libraries of which a series is not told: it has too many, or another metric has its name; the log says "
            + "which")
}
