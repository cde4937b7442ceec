import Telemetry

/// What is counted of the connections to services. docs/metrics.md is made of this list.
extension MetricFamily {
    public static let transport: [MetricFamily] = [
        .transportConnections, .transportRequests, .transportResendsRefused, .transportCPU, .http2Connections,
        .http2Streams, .http2GoAways, .http2RefusedStreams, .http2Pings,
    ]

    public static let transportConnections = MetricFamily(
        "fanfare_transport_connections_opened_total", .counter, "Connections opened to hubs, also those that failed")
    public static let transportRequests = MetricFamily(
        "fanfare_transport_requests_total", .counter, "Requests that left, or were about to; those for devices included"
    )
    public static let transportResendsRefused = MetricFamily(
        "fanfare_transport_resends_refused_total", .counter,
        "Times libcurl was about to send a request again by itself, and was stopped")
    public static let transportCPU = MetricFamily(
        "fanfare_transport_cpu_seconds_total", .counter, "CPU time of the threads that post")
    public static let http2Connections = MetricFamily(
        "fanfare_http2_connections", .gauge, "HTTP/2 connections, those that take no more requests included")
    public static let http2Streams = MetricFamily(
        "fanfare_http2_streams", .gauge, "Requests on HTTP/2 connections")
    public static let http2GoAways = MetricFamily(
        "fanfare_http2_goaway_total", .counter, "Times a server asked for its connection to end")
    public static let http2RefusedStreams = MetricFamily(
        "fanfare_http2_refused_streams_total", .counter,
        "Requests that a server refused without processing them; they are sent again")
    public static let http2Pings = MetricFamily(
        "fanfare_http2_pings_total", .counter, "Times a silent connection had to answer before it carried a request")
}
