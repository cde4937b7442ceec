import Telemetry

/// What a worker reads from the database about campaigns (`PulseReader`). docs/metrics.md is made of these lists.
extension MetricFamily {
    public static let campaigns: [MetricFamily] = [
        .campaignsUnapproved, .runState, .runMessages, .runsOmitted, .runsPausedByThemselves,
    ]

    public static let campaignsUnapproved = MetricFamily(
        "fanfare_campaigns_unapproved", .gauge,
        "Campaigns of which an older revision or none is sent, because nobody approved the newest one")
    public static let runState = MetricFamily(
        "fanfare_run_state", .gauge, labels: ["campaign", "run", "state"],
        "1 for the state the run of a campaign is in: waiting, canary, running, paused, cancelling. The newest 100 that have not "
            + "ended")
    public static let runMessages = MetricFamily(
        "fanfare_run_messages", .gauge, labels: ["campaign", "run", "status"],
        "What became of the messages of these runs, counted a slice at a time when all of a slice are final; open: those "
            + "not counted yet. Missing for runs of very many slices")
    public static let runsOmitted = MetricFamily(
        "fanfare_runs_omitted", .gauge, "Runs that have not ended and have no fanfare_run_messages")
    public static let runsPausedByThemselves = MetricFamily(
        "fanfare_runs_paused_by_themselves", .gauge,
        "Runs of campaigns that are paused and that nobody paused: too much failed, or the audience cannot be read")
}
