/// How a client that speaks HTTP/2 uses its connections (`TransportSettings.http2`).
public struct HTTP2Settings: Sendable, Hashable {
    /// Connections that carry new requests of one group (`Request.group`), at most. 1 to 64.
    public var connections = 1
    /// Requests in flight on one connection, at most; the server may allow fewer. 1 to 10,000.
    public var streams = 1_000
    /// A connection that carried nothing for longer is closed. 1 s to 1 day.
    public var idleLife: Duration = .seconds(3_600)
    /// A connection older than this carries no new request, and closes when its last one has ended. 1 s to 7 days.
    public var wholeLife: Duration = .seconds(86_400)
    /// A connection on which nothing came for this long answers a PING before it carries a request. An idle one is never
    /// pinged: some servers close those that are. 1 s to 1 day.
    public var pingAfter: Duration = .seconds(30)
    /// How long the answer to that may take. 10 ms to 1 min.
    public var pingTimeout: Duration = .seconds(1)

    public init() {}

    /// All problems, each naming its setting; empty when the settings are right.
    var problems: [String] {
        var found: [String] = []
        func check<Value: Comparable>(_ name: String, _ value: Value, _ low: Value, _ high: Value) {
            guard value < low || value > high else { return }
            found.append("http2.\(name) is \(value), allowed are \(low) to \(high)")
        }
        check("connections", connections, 1, 64)
        check("streams", streams, 1, 10_000)
        check("idleLife", idleLife, .seconds(1), .seconds(86_400))
        check("wholeLife", wholeLife, .seconds(1), .seconds(604_800))
        check("pingAfter", pingAfter, .seconds(1), .seconds(86_400))
        check("pingTimeout", pingTimeout, .milliseconds(10), .seconds(60))
        return found
    }
}
