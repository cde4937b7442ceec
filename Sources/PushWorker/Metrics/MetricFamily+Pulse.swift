import Telemetry

/// What a worker reads from the database about all workers (`PulseReader`). docs/metrics.md is made of these lists.
extension MetricFamily {
    public static let pulse: [MetricFamily] = [
        .backlogMessages, .backlogIsCapped, .oldestDue, .inDoubtMessages, .workers, .oldestBeat,
        .defaultPartitionRows, .devicesWaiting, .snapshotHeld, .resultsHeld, .rescues, .pulseFailures,
    ]

    public static let backlogMessages = MetricFamily(
        "fanfare_backlog_messages", .gauge, labels: ["hub", "priority"],
        "Messages that are due, of all workers; translations of one content count once. Counted to 10,000 at most, less "
            + "where many lanes are full")
    public static let backlogIsCapped = MetricFamily(
        "fanfare_backlog_is_capped", .gauge, labels: ["hub", "priority"],
        "1: more are due than fanfare_backlog_messages says; 0: it is exact")
    public static let oldestDue = MetricFamily(
        "fanfare_oldest_due_seconds", .gauge, labels: ["hub", "priority"],
        "How long the oldest due message has waited; 0: none is due")
    public static let inDoubtMessages = MetricFamily(
        "fanfare_in_doubt_messages", .gauge, labels: ["hub"],
        "Messages that may have been sent and wait for a decision, among the newest 2,000 that ever were in doubt")
    public static let workers = MetricFamily(
        "fanfare_workers", .gauge, "Workers that beat in their last two leases, all of them")
    public static let oldestBeat = MetricFamily(
        "fanfare_oldest_beat_seconds", .gauge,
        "How old the last heartbeat is of the worker whose is oldest; a dead one counts until it is rescued")
    public static let defaultPartitionRows = MetricFamily(
        "fanfare_default_partition_rows", .gauge, "Rows in DEFAULT partitions, counted to 1,000 in each table")
    public static let devicesWaiting = MetricFamily(
        "fanfare_devices_waiting", .gauge, labels: ["hub"],
        "Changes of devices without a final result. Counted to 10,000 at most, less where many hubs have that many")
    public static let snapshotHeld = MetricFamily(
        "fanfare_snapshot_held_seconds", .gauge,
        "For how long a session or a prepared transaction has held the oldest snapshot, and with it dead rows; 0: none")
    public static let resultsHeld = MetricFamily(
        "fanfare_results_held_seconds", .gauge,
        "For how long an open transaction has kept results from those who read push.ended_since; 0: none does")
    public static let rescues = MetricFamily(
        "fanfare_rescues_total", .counter, "Dead workers whose claims this worker took")
    public static let pulseFailures = MetricFamily(
        "fanfare_pulse_failures_total", .counter,
        "Looks at the database for fanfare_backlog_messages and what is told with it that failed or took longer than 2 "
            + "s; these gauges are then missing")
}
