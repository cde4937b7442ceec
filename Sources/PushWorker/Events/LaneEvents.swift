import Logging

/// The listeners to the steps of a worker. Fixed at compile time, so that a step costs only what its listeners do: no
/// existential, no allocation.
struct LaneEvents: Sendable {
    let watch: DatabaseWatch
    let ownClaims: OwnClaims
    let metrics: WorkerMetrics
    let endings: EndingLog
    let traces: TraceLog
    let clockSkew: ClockSkewLog
    let traffic = MessageTraffic()
    /// nil: no collector is set.
    let spans: WorkerSpans?

    init(
        ownClaims: OwnClaims, watch: DatabaseWatch, metrics: WorkerMetrics, spans: WorkerSpans? = nil, clock: Clock,
        log: Logger
    ) {
        self.watch = watch
        self.ownClaims = ownClaims
        self.metrics = metrics
        self.spans = spans
        endings = EndingLog(clock: clock, log: log)
        traces = TraceLog(clock: clock, log: log)
        clockSkew = ClockSkewLog(log: log)
    }

    func report(_ event: LaneEvent) {
        watch.hear(event)
        metrics.hear(event, ownClaims)
        ownClaims.hear(event)
        endings.hear(event, ownClaims)
        traces.hear(event)
        traffic.hear(event)
        clockSkew.hear(event)
        HubPace.hear(event)
        spans?.hear(event)
    }
}
