import CLibcurl

/// How long each step of one request took, in seconds. A class, because most replies have none.
public final class Timing: Sendable {
    /// Looking up the host; 0 on a kept connection.
    public let lookup: Double
    /// Connecting; 0 on a kept connection.
    public let connect: Double
    /// The TLS handshake; 0 on a kept connection and without TLS.
    public let handshake: Double
    /// From the moment the request could leave to the last byte of the answer.
    public let answer: Double
    /// Whether a connection was opened for the request.
    public let isFirstOnConnection: Bool

    public init(lookup: Double, connect: Double, handshake: Double, answer: Double, isFirstOnConnection: Bool) {
        self.lookup = lookup
        self.connect = connect
        self.handshake = handshake
        self.answer = answer
        self.isFirstOnConnection = isFirstOnConnection
    }

    /// The timing of the request that a handle has just ended.
    convenience init(of easy: UnsafeMutableRawPointer) {
        // libcurl counts each from the start of the request.
        func seconds(_ info: CURLINFO) -> Double {
            var microseconds: curl_off_t = 0
            fanfare_get_time(easy, info, &microseconds)
            return Double(microseconds) / 1e6
        }
        var opened = 0
        fanfare_get_long(easy, CURLINFO_NUM_CONNECTS, &opened)
        let isNew = opened > 0
        let found = seconds(CURLINFO_NAMELOOKUP_TIME_T)
        let connected = seconds(CURLINFO_CONNECT_TIME_T)
        let secured = seconds(CURLINFO_APPCONNECT_TIME_T)  // 0 without TLS
        self.init(
            lookup: isNew ? found : 0, connect: isNew ? max(0, connected - found) : 0,
            handshake: isNew && secured > 0 ? max(0, secured - connected) : 0,
            answer: max(0, seconds(CURLINFO_TOTAL_TIME_T) - seconds(CURLINFO_PRETRANSFER_TIME_T)),
            isFirstOnConnection: isNew)
    }
}

extension Timing {
    /// How long it took to open a connection, from its handle.
    convenience init(connecting easy: UnsafeMutableRawPointer) {
        let times = Timing(of: easy)
        self.init(
            lookup: times.lookup, connect: times.connect, handshake: times.handshake, answer: 0,
            isFirstOnConnection: true)
    }

    /// The timing of a request over HTTP/2. Its connection was opened for the first one.
    convenience init(of stream: HTTP2Stream, connecting: Timing, at now: LoopTime) {
        let isFirst = stream.isFirst
        self.init(
            lookup: isFirst ? connecting.lookup : 0, connect: isFirst ? connecting.connect : 0,
            handshake: isFirst ? connecting.handshake : 0,
            answer: Double(now.monotonic &- stream.startedAt) / 1e9, isFirstOnConnection: isFirst)
    }
}
