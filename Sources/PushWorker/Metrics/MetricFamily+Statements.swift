import Telemetry

/// What is counted of a worker's statements, and of its connections to the database. docs/metrics.md is made of these lists.
extension MetricFamily {
    public static let statements: [MetricFamily] = [
        .claimDuration, .intentDuration, .completionDuration, .recorderFaults, .unwrittenResults,
        .oldestUnwritten, .lanesWaiting, .databaseConnections, .databaseErrors, .databaseReconnects,
    ]

    private static let statementBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

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
}
