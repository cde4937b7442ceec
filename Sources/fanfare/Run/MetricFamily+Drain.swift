import Telemetry

/// What `fanfare drain --metrics-file` adds. docs/metrics.md is made of these lists.
extension MetricFamily {
    static let drain: [MetricFamily] = [
        .drainLastSuccess, .drainDuration, .drainLeft,
    ]

    static let drainLastSuccess = MetricFamily(
        "fanfare_drain_last_success_timestamp_seconds", .gauge,
        "When a drain last ended with 0, Unix time; only in the file of fanfare drain --metrics-file")
    static let drainDuration = MetricFamily(
        "fanfare_drain_duration_seconds", .gauge, "How long the last drain took; only in that file")
    static let drainLeft = MetricFamily(
        "fanfare_drain_left", .gauge, "Messages that the last drain left, if it could count them; only in that file")
}
