/// The metrics of a worker. docs/metrics.md is made of this list.
extension MetricFamily {
    private static let statementBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    public static let messages = MetricFamily(
        "fanfare_messages_total", .counter, labels: ["hub", "status", "reason"],
        "Results of messages that this worker has written, as push.tally counts them; retrying ones once for each try")
    public static let posts = MetricFamily(
        "fanfare_posts_total", .counter, labels: ["hub", "verdict"], "Posts that were answered, or will not be any more"
    )
    public static let httpResponses = MetricFamily(
        "fanfare_http_responses_total", .counter, labels: ["hub", "code"],
        "The same posts by the status of the hub's response; 0: there was none")
    public static let httpRequestDuration = MetricFamily(
        "fanfare_http_request_duration_seconds",
        .histogram([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]), labels: ["hub"],
        "From handing a post to the transport until the end of its response")
    public static let queueLatency = MetricFamily(
        "fanfare_queue_latency_seconds",
        .histogram([
            0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 21_600,
        ]), labels: ["hub", "priority"],
        "From the time a message was due until the hub accepted it; of a message tried again, from that try on")
    public static let messagesPerPost = MetricFamily(
        "fanfare_messages_per_post", .histogram([1, 2, 5, 10, 20, 50, 100, 250, 500, 1_000]), labels: ["hub"],
        "Messages that shared a post")
    public static let claimMessages = MetricFamily(
        "fanfare_claim_messages", .histogram([1, 2, 5, 10, 20, 50, 100, 250, 500, 1_000, 2_000]), labels: ["hub"],
        "Messages in a claim")
    public static let throttled = MetricFamily(
        "fanfare_throttled_total", .counter, labels: ["hub"], "Posts to which the hub answered that all have to wait")
    public static let gateWait = MetricFamily(
        "fanfare_gate_wait_seconds_total", .counter, labels: ["hub"],
        "Time in which the hub had asked all to wait, as this worker knows it")
    public static let inFlightPosts = MetricFamily(
        "fanfare_in_flight_posts", .gauge, labels: ["hub"], "Posts on the wire")
    public static let windowPosts = MetricFamily(
        "fanfare_window_posts", .gauge, labels: ["hub"], "Posts that may be on the wire at once now")
    public static let rateLimit = MetricFamily(
        "fanfare_rate_limit_posts_per_second", .gauge, labels: ["hub"],
        "Posts a second that all workers together may send; 0: no limit")
    public static let hubState = MetricFamily(
        "fanfare_hub_state", .gauge, labels: ["hub", "state"],
        "1 for the state the hub is in: open, gate_closed (it asked all to wait), failing (nothing gets through), held "
            + "(it refuses us), paused (by a person)")
    public static let tokenExpiry = MetricFamily(
        "fanfare_token_expiry_timestamp_seconds", .gauge, labels: ["hub"], "When the token in use ends, Unix time")
    public static let tokenSignings = MetricFamily(
        "fanfare_token_signings_total", .counter, labels: ["hub"],
        "Tokens signed; with the default times one every 55 minutes")
    public static let tokenRefusals = MetricFamily(
        "fanfare_token_refusals_total", .counter, labels: ["hub"],
        "Answers 401 to posts and to changes of devices")
    public static let clockSkew = MetricFamily(
        "fanfare_clock_skew_seconds", .gauge, labels: ["hub"],
        "How far this worker's clock is ahead of the hub's, as measured once a minute; below 0: behind")
    public static let devicesRefused = MetricFamily(
        "fanfare_devices_refused_total", .counter, labels: ["hub"], "Changes of devices that ended refused")

    public static let claimDuration = MetricFamily(
        "fanfare_claim_duration_seconds", .histogram(statementBounds), "Statements that claim messages")
    public static let intentDuration = MetricFamily(
        "fanfare_intent_duration_seconds", .histogram(statementBounds),
        "From asking for an intent until it is committed")
    public static let completionDuration = MetricFamily(
        "fanfare_completion_duration_seconds", .histogram(statementBounds), "Statements that record results")
    public static let recorderFaults = MetricFamily(
        "fanfare_recorder_faults_total", .counter, "Tries to record results that failed; each is repeated")
    public static let unwrittenResults = MetricFamily(
        "fanfare_unwritten_results", .gauge, "Answers and outcomes that are not in the database yet")
    public static let oldestUnwritten = MetricFamily(
        "fanfare_oldest_unwritten_result_seconds", .gauge,
        "For how long results have been waiting to be written; 0: none does")
    public static let lanesWaiting = MetricFamily(
        "fanfare_lanes_waiting", .gauge,
        "Lanes that claim nothing because too many results are not written yet")
    public static let databaseConnections = MetricFamily(
        "fanfare_database_connections", .gauge, "Connections open or being opened, without the one that listens")
    public static let databaseErrors = MetricFamily(
        "fanfare_database_errors_total", .counter, labels: ["class"],
        "Statements and connections that failed, by the first two characters of SQLSTATE; none: no server answered")
    public static let databaseReconnects = MetricFamily(
        "fanfare_database_reconnects_total", .counter,
        "Times the database answered again after a connection was lost or could not be made")

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
    public static let scheduledStarts = MetricFamily(
        "fanfare_scheduled_starts_total", .counter, labels: ["state"],
        "Times of schedules that this worker found come, by the state of their run: running, waiting, skipped (another run was "
            + "not over), failed (it could not begin); missed: no worker started it in time")
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

    public static let transportConnections = MetricFamily(
        "fanfare_transport_connections_opened_total", .counter, "Connections opened to hubs, also those that failed")
    public static let transportRequests = MetricFamily(
        "fanfare_transport_requests_total", .counter, "Requests handed to libcurl, those for devices included")
    public static let transportResendsRefused = MetricFamily(
        "fanfare_transport_resends_refused_total", .counter,
        "Times libcurl was about to send a request again by itself, and was stopped")
    public static let transportCPU = MetricFamily(
        "fanfare_transport_cpu_seconds_total", .counter, "CPU time of the thread that posts")

    public static let spansSent = MetricFamily(
        "fanfare_spans_sent_total", .counter, "Spans that the OpenTelemetry collector took; only where one is set")
    public static let spansDropped = MetricFamily(
        "fanfare_spans_dropped_total", .counter,
        "Spans that it did not take, or that found no room while it was slow; only where one is set")

    public static let reloadSuccessful = MetricFamily(
        "fanfare_config_last_reload_successful", .gauge, "Whether the settings could be read the last time; 1 or 0")
    public static let reloadTime = MetricFamily(
        "fanfare_config_last_reload_success_timestamp_seconds", .gauge,
        "When the settings in use were read, Unix time")
    public static let libraryMetricsDropped = MetricFamily(
        "fanfare_library_metrics_dropped_total", .counter,
        "Metrics of libraries of which a series is not told: it has too many, or another metric has its name; the log says "
            + "which")
    public static let buildInfo = MetricFamily(
        "fanfare_build_info", .gauge, labels: ["version", "swift", "libcurl", "libpq", "openssl"],
        "1; its labels name the version, the compiler it was built with, and the libraries it runs with")
    public static let processCPU = MetricFamily(
        "process_cpu_seconds_total", .counter, "CPU time of the process, user and system")
    public static let processResident = MetricFamily(
        "process_resident_memory_bytes", .gauge, "Memory of the process that is resident")
    public static let processOpenFiles = MetricFamily("process_open_fds", .gauge, "Open file descriptors")
    public static let processMostFiles = MetricFamily("process_max_fds", .gauge, "File descriptors that may be open")
    public static let processStart = MetricFamily(
        "process_start_time_seconds", .gauge, "When the process was started, Unix time")

    public static let drainLastSuccess = MetricFamily(
        "fanfare_drain_last_success_timestamp_seconds", .gauge,
        "When a drain last ended with 0, Unix time; only in the file of fanfare drain --metrics-file")
    public static let drainDuration = MetricFamily(
        "fanfare_drain_duration_seconds", .gauge, "How long the last drain took; only in that file")
    public static let drainLeft = MetricFamily(
        "fanfare_drain_left", .gauge, "Messages that the last drain left, if it could count them; only in that file")

    /// In the order of docs/metrics.md.
    public static let all: [MetricFamily] = [
        .messages, .posts, .httpResponses, .httpRequestDuration, .queueLatency, .messagesPerPost, .claimMessages,
        .throttled,
        .gateWait, .inFlightPosts, .windowPosts, .rateLimit, .hubState, .tokenExpiry, .tokenSignings, .tokenRefusals,
        .clockSkew, .devicesRefused, .claimDuration, .intentDuration, .completionDuration, .recorderFaults,
        .unwrittenResults, .oldestUnwritten, .lanesWaiting, .backlogMessages, .backlogIsCapped, .oldestDue,
        .inDoubtMessages, .workers, .oldestBeat, .defaultPartitionRows, .devicesWaiting, .campaignsUnapproved,
        .runState, .runMessages, .runsOmitted, .runsPausedByThemselves, .scheduledStarts, .snapshotHeld, .resultsHeld,
        .rescues, .pulseFailures,
        .databaseConnections, .databaseErrors, .databaseReconnects, .transportConnections, .transportRequests,
        .transportResendsRefused, .transportCPU, .spansSent, .spansDropped, .reloadSuccessful, .reloadTime,
        .libraryMetricsDropped, .buildInfo, .processCPU, .processResident, .processOpenFiles, .processMostFiles,
        .processStart, .drainLastSuccess, .drainDuration, .drainLeft,
    ]
}
