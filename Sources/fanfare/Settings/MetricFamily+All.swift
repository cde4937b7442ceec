import Telemetry

extension MetricFamily {
    /// All metrics of a worker and of a drain, in the order of docs/metrics.md.
    static let all = hubs + statements + transport + pulse + campaigns + process + telemetry + drain
}
