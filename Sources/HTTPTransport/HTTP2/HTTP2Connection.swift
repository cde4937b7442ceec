import CLibcurl

/// One connection that libcurl brings (name lookup, proxy, TLS, verification) and that carries the frames of a
/// `FrameSession`. Confined to the loop thread.
final class HTTP2Connection {
    let easy: UnsafeMutableRawPointer
    let origin: HTTP2Origin
    let generation: Int64
    /// When it began to connect.
    let bornAt: UInt64
    private let opening: SocketOpening
    private let multi: MultiHandle
    private let settings: TransportSettings
    private let showsCertificate: Bool
    private let sessions: TLSSessions
    /// Whether it may offer the server a session of an earlier connection.
    let mayResume: Bool
    /// The last TLS alert that came; -1: none did.
    private let alertCode = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// nil until it is connected.
    private(set) var frames: FrameSession?
    private(set) var fd: curl_socket_t = CURL_SOCKET_BAD
    private var waitsToWrite = false

    /// Times a read is repeated in one turn, 16 kB each: a server that sends without end may not hold the loop.
    private static let readsPerTurn = 64

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - identity: shown to a server that asks for one.
    ///   - sessions: of connections that showed the same.
    /// - Throws: when libcurl refuses.
    init(
        to origin: HTTP2Origin, generation: Int64, showing identity: (any ClientIdentity)?,
        resuming sessions: TLSSessions, _ settings: TransportSettings, caBundle: String?, in multi: MultiHandle,
        at now: LoopTime
    ) throws(TransportError) {
        guard let easy = curl_easy_init() else {
            throw TransportError(doing: "cannot make a curl handle", code: 0, text: "out of memory")
        }
        self.easy = easy
        self.origin = origin
        self.generation = generation
        bornAt = now.monotonic
        self.settings = settings
        self.multi = multi
        opening = SocketOpening(multi.sockets)
        opening.target = origin.target
        showsCertificate = identity != nil
        self.sessions = sessions
        mayResume = sessions.isFilled
        errorText[0] = 0
        alertCode.pointee = -1
        try configure(identity, caBundle)
        guard multi.add(easy) else {
            throw TransportError(doing: "cannot open a connection", code: 0, text: "out of memory")
        }
    }

    deinit {
        // The session ends before its connection.
        frames = nil
        if fd != CURL_SOCKET_BAD { multi.sockets.watch(fd, CURL_POLL_REMOVE) }
        multi.remove(easy)
        curl_easy_cleanup(easy)
        errorText.deallocate()
        alertCode.deallocate()
    }

    private func configure(_ identity: (any ClientIdentity)?, _ caBundle: String?) throws(TransportError) {
        let options = EasyOptions(easy: easy)
        try options.pointer(CURLOPT_PRIVATE, Unmanaged.passUnretained(self).toOpaque())
        try options.pointer(CURLOPT_ERRORBUFFER, errorText)
        try options.reach(settings, caBundle: caBundle)
        try options.sockets(opening)
        try sessions.lend(to: options)
        try options.text(CURLOPT_URL, origin.target.url)
        // libcurl's own HTTP/2 would put itself between us and the connection; so it believes in HTTP/1.1, and we offer h2.
        try options.long(CURLOPT_CONNECT_ONLY, 1)
        try options.long(CURLOPT_SSL_ENABLE_ALPN, 0)
        try options.check(fanfare_offer_http2(easy, alertCode), CURLOPT_SSL_CTX_FUNCTION)
        if let identity { try options.show(identity) }
    }

    static func from(_ easy: UnsafeMutableRawPointer) -> HTTP2Connection {
        var pointer: UnsafeMutableRawPointer?
        fanfare_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
        // Set by `configure`, and the handle dies with this object.
        return Unmanaged<HTTP2Connection>.fromOpaque(pointer!).takeUnretainedValue()
    }

    /// libcurl has connected, or has failed to.
    ///
    /// - Parameter buffer: for what the server has said already.
    /// - Throws: why it cannot carry requests. Nothing of them has left.
    func connected(
        _ code: CURLcode, counts: AtomicCounters, into buffer: UnsafeMutableRawBufferPointer, at now: LoopTime
    ) throws(Reply.Fault) {
        guard code == CURLE_OK else {
            let text = String(cString: errorText)
            throw alertFault(code)
                ?? Reply.Fault(code: Int32(code.rawValue), text: text.isEmpty ? LibCurl.text(code) : text.asciiLine)
        }
        // In 7.88.1 the handle finds its connection again only when it is used.
        var count = 0
        let first = curl_easy_recv(easy, buffer.baseAddress, buffer.count, &count)
        guard first == CURLE_OK || first == CURLE_AGAIN else { throw fault(first) }
        guard fanfare_get_socket(easy, &fd) == CURLE_OK, fd != CURL_SOCKET_BAD else {
            throw Reply.Fault(code: Int32(CURLE_COULDNT_CONNECT.rawValue), text: "libcurl gives out no socket")
        }
        guard !origin.isSecure || fanfare_chose_http2(easy) == 1 else { throw ConnectionFault.anotherProtocol }
        do throws(TransportError) {
            frames = try FrameSession(
                settings, settings.http2 ?? HTTP2Settings(), counts: counts,
                connecting: settings.measuresTime ? Timing(connecting: easy) : nil, at: now)
        } catch {
            throw Reply.Fault(code: Int32(CURLE_OUT_OF_MEMORY.rawValue), text: error.text)
        }
        if origin.isSecure { sessions.fill() }
        multi.sockets.watch(fd, CURL_POLL_IN)
        guard first == CURLE_OK else { return }
        guard count > 0 else { throw ConnectionFault.closedByServer }
        if let fault = frames?.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: now) { throw fault }
    }

    /// Writes until nothing waits or the socket is full.
    ///
    /// - Throws: why the connection has ended.
    func write() throws(Reply.Fault) {
        guard let frames else { return }
        while case let bytes = frames.bytesToSend(), !bytes.isEmpty {
            var count = 0
            let code = curl_easy_send(easy, bytes.baseAddress, bytes.count, &count)
            // Reading goes on meanwhile: a server that waits for us to read would otherwise wait for ever.
            if code == CURLE_AGAIN { return watch(alsoWriting: true) }
            guard code == CURLE_OK else { throw fault(code) }
            frames.wrote(count)
        }
        watch(alsoWriting: false)
    }

    /// Reads until the socket is empty. TLS keeps bytes that epoll does not show, so one read is never enough.
    ///
    /// - Returns: whether there may be more, and it is another one's turn.
    /// - Throws: why the connection has ended.
    func read(into buffer: UnsafeMutableRawBufferPointer, at now: LoopTime) throws(Reply.Fault) -> Bool {
        guard let frames else { return false }
        for _ in 0..<Self.readsPerTurn {
            var count = 0
            let code = curl_easy_recv(easy, buffer.baseAddress, buffer.count, &count)
            if code == CURLE_AGAIN { return false }
            guard code == CURLE_OK else { throw fault(code) }
            guard count > 0 else { throw ConnectionFault.closedByServer }
            if let fault = frames.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: now) { throw fault }
        }
        return true
    }

    private func watch(alsoWriting: Bool) {
        guard waitsToWrite != alsoWriting else { return }
        waitsToWrite = alsoWriting
        multi.sockets.watch(fd, alsoWriting ? CURL_POLL_INOUT : CURL_POLL_IN)
    }

    private func fault(_ code: CURLcode) -> Reply.Fault {
        alertFault(code)
            ?? Reply.Fault(code: Int32(code.rawValue), text: "the connection was lost: \(LibCurl.text(code))")
    }

    /// Why the server has ended TLS; nil: it has not said. Its code is that of the failure, or of a bad client certificate: a caller
    /// has to do something about that.
    func alertFault(_ code: CURLcode = CURLE_RECV_ERROR) -> Reply.Fault? {
        guard let alert = TLSAlert(alertCode.pointee) else { return nil }
        let code = alert.isAboutCertificate ? CURLE_SSL_CERTPROBLEM : code
        return Reply.Fault(code: Int32(code.rawValue), text: alert.words(showedCertificate: showsCertificate))
    }
}
