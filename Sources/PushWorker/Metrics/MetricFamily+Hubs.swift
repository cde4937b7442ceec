import Telemetry

/// What is counted of each hub. docs/metrics.md is made of these lists.
extension MetricFamily {
    public static let hubs: [MetricFamily] = [
        .messages, .posts, .httpResponses, .httpRequestDuration, .queueLatency, .messagesPerPost,
        .claimMessages, .throttled, .gateWait, .inFlightPosts, .windowPosts, .rateLimit, .hubInfo, .hubState,
        .tokenExpiry, .certificateExpiry, .tokenSignings, .tokenRefusals, .clockSkew, .devicesRefused,
    ]

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
        "fanfare_throttled_total", .counter, labels: ["hub"],
        "Posts that the hub wants later: because all have to wait, or, with a hub of kind fcm or apns, one phone")
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
    public static let hubInfo = MetricFamily(
        "fanfare_hub_info", .gauge, labels: ["hub", "kind"], "1; the service that the hub sends through")
    public static let hubState = MetricFamily(
        "fanfare_hub_state", .gauge, labels: ["hub", "state"],
        "1 for the state the hub is in: open, gate_closed (it asked all to wait), no_pass (this worker has no access "
            + "token yet), failing (nothing gets through), held (it refuses us), paused (by a person)")
    public static let tokenExpiry = MetricFamily(
        "fanfare_token_expiry_timestamp_seconds", .gauge, labels: ["hub"], "When the token in use ends, Unix time")
    public static let certificateExpiry = MetricFamily(
        "fanfare_certificate_expiry_timestamp_seconds", .gauge, labels: ["hub"],
        "When the client certificate of the hub ends, Unix time; only hubs of kind apns with one have it")
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
}
