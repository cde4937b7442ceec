/// A server that speaks HTTP/2 frame by frame, as a test writes it: without nghttp2, so that it may lie.
final class FramePeer {
    struct Frame {
        var type: UInt8
        var flags: UInt8
        var stream: UInt32
        var payload: [UInt8]
    }

    /// A request of which at least the header block has come.
    struct Incoming {
        var stream: UInt32
        var body: [UInt8] = []
        var isWhole: Bool
    }

    // Types of frames and flags: RFC 9113 section 6.
    static let data: UInt8 = 0, headers: UInt8 = 1, resetStream: UInt8 = 3, settings: UInt8 = 4, ping: UInt8 = 6
    static let goAway: UInt8 = 7, windowUpdate: UInt8 = 8, continuation: UInt8 = 9
    static let endStream: UInt8 = 1, ack: UInt8 = 1, endHeaders: UInt8 = 4

    let peer: Peer
    /// Whether a PING is answered.
    var answersPings = true
    /// Whether the window for bodies is kept open.
    var opensWindow = true
    /// Streams that the client has reset, with its code.
    private(set) var resets: [(stream: UInt32, code: UInt32)] = []
    private(set) var pings = 0
    private(set) var saidGoodbye = false
    private var open: [UInt32: Incoming] = [:]

    /// Reads the client's greeting and sends ours.
    ///
    /// - Parameter streams: MAX_CONCURRENT_STREAMS; nil: not set.
    init?(_ peer: Peer, streams: UInt32? = 100) {
        self.peer = peer
        guard let greeting = peer.read(bytes: 24), greeting.starts(with: "PRI * HTTP/2.0".utf8) else { return nil }
        set(streams.map { [(id: UInt16(3), value: $0)] } ?? [])
    }

    /// The next request: once its header block has come, or, by default, all of it. nil when the client has closed.
    func next(whole: Bool = true) -> Incoming? {
        while let frame = read() {
            switch frame.type {
            case Self.headers:
                let isWhole = frame.flags & Self.endStream != 0
                let request = Incoming(stream: frame.stream, isWhole: isWhole)
                if isWhole || !whole { return finish(request) }
                open[frame.stream] = request
            case Self.data:
                guard var request = open[frame.stream] else { continue }
                request.body += frame.payload
                open[frame.stream] = request
                if opensWindow, !frame.payload.isEmpty {
                    for stream in [0, frame.stream] {
                        send(Self.windowUpdate, 0, stream, Self.bytes(UInt32(frame.payload.count)))
                    }
                }
                guard frame.flags & Self.endStream != 0 else { continue }
                request.isWhole = true
                open[frame.stream] = nil
                return finish(request)
            case Self.resetStream: resets.append((frame.stream, Self.number(frame.payload)))
            case Self.settings where frame.flags & Self.ack == 0: send(Self.settings, Self.ack, 0, [])
            case Self.ping where frame.flags & Self.ack == 0:
                pings += 1
                if answersPings { send(Self.ping, Self.ack, 0, frame.payload) }
            case Self.goAway: saidGoodbye = true
            default: break
            }
        }
        return nil
    }

    /// So many requests; fewer when the client has closed.
    func next(_ count: Int) -> [Incoming] {
        var requests: [Incoming] = []
        while requests.count < count, let request = next() { requests.append(request) }
        return requests
    }

    private func finish(_ request: Incoming) -> Incoming {
        peer.received(
            ReceivedRequest(connection: peer.number, line: "stream \(request.stream)", headers: [], body: request.body))
        return request
    }

    /// Answers with a status, a body if there is one, and the end of the stream.
    func answer(_ stream: UInt32, _ status: Int = 200, body: String = "", ends: Bool = true) {
        let last = ends && body.isEmpty ? Self.endStream : 0
        send(Self.headers, Self.endHeaders | last, stream, Self.block(status: status))
        if !body.isEmpty { send(Self.data, ends ? Self.endStream : 0, stream, Array(body.utf8)) }
    }

    /// Answers with a body of this length in bytes, within the windows that the client opens.
    ///
    /// - Returns: bytes that were sent: fewer when the client has reset the stream or closed.
    func answer(_ stream: UInt32, bytes count: Int) -> Int {
        answer(stream, ends: false)
        var windows: [UInt32: Int] = [0: 65_535, stream: 65_535]
        var sent = 0
        while sent < count {
            let size = min(16_384, count - sent, windows.values.min() ?? 0)
            guard size == 0 else {
                sent += size
                send(Self.data, sent == count ? Self.endStream : 0, stream, [UInt8](repeating: 7, count: size))
                for key in windows.keys { windows[key]? -= size }
                continue
            }
            guard let frame = read() else { return sent }
            switch frame.type {
            case Self.windowUpdate: windows[frame.stream]? += Int(Self.number(frame.payload))
            case Self.resetStream where frame.stream == stream:
                resets.append((stream, Self.number(frame.payload)))
                return sent
            default: break
            }
        }
        return sent
    }

    /// A header block that holds the status alone: a literal with the indexed name `:status` (RFC 7541 appendix A).
    static func block(status: Int) -> [UInt8] { [0x08, 0x03] + Array(String(status).utf8) }

    func reset(_ stream: UInt32, _ code: UInt32) { send(Self.resetStream, 0, stream, Self.bytes(code)) }

    func goAway(last: UInt32, _ code: UInt32 = 0, _ reason: String = "") {
        send(Self.goAway, 0, 0, Self.bytes(last) + Self.bytes(code) + Array(reason.utf8))
    }

    func set(_ values: [(id: UInt16, value: UInt32)]) {
        send(Self.settings, 0, 0, values.flatMap { [UInt8($0.id >> 8), UInt8($0.id & 0xFF)] + Self.bytes($0.value) })
    }

    @discardableResult
    func send(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> Bool {
        peer.send(Array(Self.bytes(UInt32(payload.count)).dropFirst()) + [type, flags] + Self.bytes(stream) + payload)
    }

    /// nil when the client has closed.
    private func read() -> Frame? {
        guard let head = peer.read(bytes: 9) else { return nil }
        let count = Int(Self.number([0] + head[0..<3]))
        guard let payload = peer.read(bytes: count) else { return nil }
        return Frame(type: head[3], flags: head[4], stream: Self.number(Array(head[5..<9])), payload: payload)
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func number(_ bytes: [UInt8]) -> UInt32 { bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
}
