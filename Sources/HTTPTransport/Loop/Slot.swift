import CLibcurl
import Glibc

/// One easy handle with its buffers: carries one request after the other, for as long as the loop lives.
///
/// libcurl holds an unretained pointer to this object in `CURLOPT_PRIVATE` and in every callback, so the loop keeps all
/// its slots until the last handle is freed. Confined to the loop thread.
final class Slot {
    let easy: UnsafeMutableRawPointer
    let opening: SocketOpening
    private let refusesSilentResend: Bool
    private let measuresTime: Bool

    // The request it carries.
    private(set) var id: Int64 = 0
    private(set) var recipient: Recipient?
    var target: RequestURL? { opening.target }
    private var shared: SharedHeaders?
    private var method = Request.Method.post
    private var startedAt: UInt64 = 0
    private var lines = 0
    private var bodyCount = 0

    // What libcurl has reported.
    var incoming: ReplyBuffer
    private(set) var attempts = 0
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    // What libcurl borrows while the request is in flight.
    private var nodes = UnsafeMutableBufferPointer<curl_slist>.allocate(capacity: 4)
    private var text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 512)
    private var body = UnsafeMutableRawBufferPointer.allocate(byteCount: Slot.smallBody, alignment: 16)

    // The options set on the handle: only a change costs a call.
    private var urlSet: RequestURL?
    private var methodSet: Request.Method?

    /// Bytes; a larger body gets its own buffer while it is in flight.
    private static let smallBody = 4096

    init(_ settings: TransportSettings, caBundle: String?, sockets: EpollSet) throws(TransportError) {
        guard let easy = curl_easy_init() else {
            throw TransportError(doing: "cannot make a curl handle", code: 0, text: "out of memory")
        }
        self.easy = easy
        opening = SocketOpening(sockets)
        incoming = ReplyBuffer(keptBody: settings.keptBody)
        refusesSilentResend = settings.refusesSilentResend
        measuresTime = settings.measuresTime
        errorText[0] = 0
        try configure(settings, caBundle: caBundle, errorText: errorText)
    }

    deinit {
        curl_easy_cleanup(easy)
        errorText.deallocate()
        nodes.deallocate()
        text.deallocate()
        body.deallocate()
    }

    /// Sets the handle up for a request.
    ///
    /// - Parameter now: the loop's time, in nanoseconds.
    /// - Returns: anything but `CURLE_OK`: the request cannot be sent, and `unload` has to follow.
    func load(_ request: Request, to target: RequestURL, for recipient: Recipient, at now: UInt64) -> CURLcode {
        id = request.id
        self.recipient = recipient
        opening.target = target
        shared = request.shared
        method = request.method
        attempts = 0
        errorText[0] = 0
        startedAt = now
        var results: UInt32 = 0
        if urlSet !== target {
            results |= fanfare_set_text(easy, CURLOPT_URL, target.url).rawValue
            urlSet = target
        }
        results |= loadBody(request).rawValue
        results |= fanfare_set_pointer(easy, CURLOPT_HTTPHEADER, loadHeaders(request)).rawValue
        return results == 0 ? CURLE_OK : CURLE_OUT_OF_MEMORY
    }

    /// Empties the slot for the next request. Only after the handle has left the multi handle.
    func unload() {
        recipient = nil
        opening.target = nil
        shared = nil
        incoming.clear()
        if body.count > Self.smallBody { resizeBody(Self.smallBody) }
    }

    /// Whether libcurl may send; called once per attempt.
    ///
    /// When a kept connection dies before a byte of the reply, libcurl sends the request again on a new one, up to five
    /// times, POSTs included, and reports plain success. A GET may be repeated; any other method might be a second
    /// push.
    func permitsSend() -> Bool {
        attempts += 1
        return attempts == 1 || !refusesSilentResend || method == .get
    }

    /// The reply to the request in the slot.
    ///
    /// - Parameters:
    ///   - code: libcurl's result.
    ///   - fault: our own reason, when we abandoned the request.
    ///   - now: when the loop learned of the end.
    func reply(_ code: CURLcode, because fault: Reply.Fault?, at now: LoopTime) -> Reply {
        var status = 0
        var bytesSent = 0
        fanfare_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        fanfare_get_long(easy, CURLINFO_REQUEST_SIZE, &bytesSent)
        let ended = TransferOutcome(code: code, status: status, attempts: attempts, bytesSent: bytesSent)
        let outcome: Reply.Outcome =
            switch ended.outcome {
            case .answered: .answered(incoming.response(status: status))
            case .notSent: .notSent(fault ?? self.fault(code))
            case .unknown: .unknown(fault ?? self.fault(code))
            }
        let milliseconds = Int((now.monotonic &- startedAt) / 1_000_000)
        var reply = Reply(id: id, outcome: outcome, milliseconds: milliseconds, receivedAt: now.wall)
        if measuresTime { reply.timing = Timing(of: easy) }
        if case .answered = outcome, !(200..<300).contains(status) { reply.sent = sent }
        return reply
    }

    private var sent: Reply.Sent {
        Reply.Sent(
            headers: nodes.prefix(lines).compactMap { node in
                guard let line = node.data, let colon = strchr(line, Int32(UInt8(ascii: ":"))) else { return nil }
                return String(cString: colon + 2)
            },
            body: Array(body.prefix(bodyCount)))
    }

    var wasRefusedResend: Bool { refusesSilentResend && method != .get && attempts > 1 }

    private func fault(_ code: CURLcode) -> Reply.Fault {
        if code == CURLE_ABORTED_BY_CALLBACK, wasRefusedResend { return .resendRefused }
        let text = String(cString: errorText).asciiLine
        let words = TransferOutcome.words(text, attempts: attempts)
        return Reply.Fault(code: Int32(code.rawValue), text: words.isEmpty ? LibCurl.text(code) : words)
    }

    private func loadBody(_ request: Request) -> CURLcode {
        var results: UInt32 = 0
        bodyCount = 0
        if method == .get {
            if methodSet != .get {
                results |= fanfare_set_pointer(easy, CURLOPT_POSTFIELDS, nil).rawValue
                results |= fanfare_set_text(easy, CURLOPT_CUSTOMREQUEST, nil).rawValue
                results |= fanfare_set_long(easy, CURLOPT_HTTPGET, 1).rawValue
            }
        } else {
            if methodSet != method {
                let word = method == .post ? nil : method.rawValue
                results |= fanfare_set_text(easy, CURLOPT_CUSTOMREQUEST, word).rawValue
            }
            let count = request.body.count
            bodyCount = count
            if count > body.count { resizeBody(count) }
            request.body.withUnsafeBytes { body.copyMemory(from: $0) }
            results |= fanfare_set_long(easy, CURLOPT_POSTFIELDSIZE, count).rawValue
            results |= fanfare_set_pointer(easy, CURLOPT_POSTFIELDS, body.baseAddress).rawValue
        }
        methodSet = method
        return CURLcode(rawValue: results)
    }

    /// The request's own lines, linked to the head of the shared list.
    private func loadHeaders(_ request: Request) -> UnsafeMutablePointer<curl_slist>? {
        let lines = request.headers
        self.lines = lines.count
        guard !lines.isEmpty, let first = nodes.baseAddress else { return request.shared.list }
        var bytes = 0
        for line in lines { bytes += line.name.utf8.count + line.value.utf8.count + 3 }
        if lines.count > nodes.count {
            nodes.deallocate()
            nodes = .allocate(capacity: 2 * lines.count)
            return loadHeaders(request)
        }
        if bytes > text.count {
            text.deallocate()
            text = .allocate(capacity: 2 * bytes)
        }
        var end = UnsafeMutableRawPointer(text.baseAddress!)
        for (index, line) in lines.enumerated() {
            let start = end.assumingMemoryBound(to: CChar.self)
            end = Self.copy(line.name, to: end)
            end.storeBytes(of: UInt8(ascii: ":"), as: UInt8.self)
            end.storeBytes(of: UInt8(ascii: " "), toByteOffset: 1, as: UInt8.self)
            end = Self.copy(line.value, to: end + 2)
            end.storeBytes(of: 0, as: UInt8.self)
            end += 1
            let next = index + 1 < lines.count ? first + (index + 1) : request.shared.list
            (first + index).initialize(to: curl_slist(data: start, next: next))
        }
        return first
    }

    private static func copy(_ string: String, to target: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        var string = string
        return string.withUTF8 { bytes in
            if let base = bytes.baseAddress { target.copyMemory(from: base, byteCount: bytes.count) }
            return target + bytes.count
        }
    }

    private func resizeBody(_ count: Int) {
        body.deallocate()
        body = .allocate(byteCount: count, alignment: 16)
    }
}
