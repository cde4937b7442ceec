/// One request on an HTTP/2 connection: from the moment it is submitted until it has its reply. Serves one request after the
/// other. Confined to the loop thread.
final class HTTP2Stream {
    private(set) var request: Request
    private(set) var recipient: Recipient
    /// The stream's number on its connection.
    var id: Int32 = 0
    private(set) var startedAt: UInt64
    /// Whether it is the first one on its connection.
    private(set) var isFirst: Bool

    // What has come.
    /// The final status; 0: none.
    private(set) var status = 0
    /// Of the header block that is coming.
    private var comingStatus = 0
    var incoming: ReplyBuffer

    // What has left.
    /// Where its header block begins, in bytes of the connection; nil: its frame is not made.
    var headersAt: Int?
    /// Bytes of the body that are in frames.
    private(set) var bodyTaken = 0

    init(_ request: Request, for recipient: Recipient, isFirst: Bool, keptBody: Int, now: UInt64) {
        self.request = request
        self.recipient = recipient
        self.isFirst = isFirst
        startedAt = now
        incoming = ReplyBuffer(keptBody: keptBody)
    }

    /// Takes the next request. The memory for header lines is kept.
    func reuse(_ request: Request, for recipient: Recipient, isFirst: Bool, now: UInt64) {
        self.request = request
        self.recipient = recipient
        self.isFirst = isFirst
        startedAt = now
        id = 0
        status = 0
        comingStatus = 0
        headersAt = nil
        bodyTaken = 0
        incoming.clear()
    }

    /// The next bytes of the body, and whether they are the last.
    func takeBody(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isLast: Bool) {
        let count = min(buffer.count, request.body.count - bodyTaken)
        request.body.withUnsafeBytes { body in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: body[bodyTaken..<bodyTaken + count]))
        }
        bodyTaken += count
        return (count, bodyTaken == request.body.count)
    }

    var hasSentBody: Bool { bodyTaken == request.body.count }

    /// One line of the answer. What exceeds the limit is dropped.
    func takeHeader(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard name.first == UInt8(ascii: ":") else { return incoming.takeField(name, value) }
        guard name.elementsEqual(":status".utf8) else { return }
        // A block begins. After an interim answer another one follows, and only the last one counts.
        incoming.clearLines()
        let number = value.reduce(0) { $0 * 10 + Int($1) - 48 }
        comingStatus = value.count == 3 && (200...999).contains(number) ? number : 0
    }

    /// The block is whole: only now is it an answer. Trailers have no status, and change none.
    func takeStatus() { status = max(status, comingStatus) }

    /// The reply to it.
    ///
    /// - Parameters:
    ///   - fault: of every outcome but an answer.
    ///   - timing: nil unless it is measured.
    func reply(
        _ outcome: TransferOutcome.Class, _ fault: @autoclosure () -> Reply.Fault, timing: Timing?, at now: LoopTime
    ) -> Reply {
        let ended: Reply.Outcome =
            switch outcome {
            case .answered: .answered(incoming.response(status: status))
            case .notSent: .notSent(fault())
            case .unknown: .unknown(fault())
            }
        let milliseconds = Int((now.monotonic &- startedAt) / 1_000_000)
        var reply = Reply(id: request.id, outcome: ended, milliseconds: milliseconds, receivedAt: now.wall)
        reply.timing = timing
        if case .answered = ended, !(200..<300).contains(status) {
            reply.sent = Reply.Sent(headers: request.headers.map(\.value), body: request.body)
        }
        return reply
    }
}
