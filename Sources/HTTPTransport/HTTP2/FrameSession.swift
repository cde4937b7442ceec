import CNghttp2

/// The frames of one HTTP/2 connection, over nghttp2: requests in, bytes out, bytes in, replies out. Opens no socket and reads
/// no clock, so a test drives it alone. Confined to the loop thread.
///
/// nghttp2 holds an unretained pointer to this object, and one to each of its streams while that is open.
final class FrameSession {
    private let session: OpaquePointer
    private let settings: TransportSettings
    private let counts: AtomicCounters
    private(set) var state: ConnectionState
    /// How long it took to connect, for the first request; nil: times are not measured.
    private let connecting: Timing?

    private var open: [Int32: HTTP2Stream] = [:]
    private var idle: [HTTP2Stream] = []
    private(set) var carried = 0
    private var deadlines = StreamDeadlines()
    private let output = FrameOutput()
    /// Set for every call from outside: nghttp2's callbacks have no parameter of ours.
    private var now = LoopTime()
    private var ended: [(reply: Reply, recipient: Recipient)] = []
    /// Why the server ends the connection, from its GOAWAY.
    private var goAway: String?

    /// - Throws: when there is no memory.
    init(
        _ settings: TransportSettings, _ http2: HTTP2Settings, counts: AtomicCounters, connecting: Timing?,
        at now: LoopTime
    ) throws(TransportError) {
        self.settings = settings
        self.counts = counts
        self.connecting = connecting
        self.now = now
        state = ConnectionState(http2, greetedWithin: settings.connectTimeout, now: now.monotonic)
        session = try FrameCallbacks.makeSession()
        FrameCallbacks.adopt(session, by: self)
        var limits = [
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(ReplyBuffer.headerLimit)),
        ]
        guard nghttp2_submit_settings(session, 0, &limits, limits.count) == 0 else { throw FrameCallbacks.noMemory }
    }

    deinit { nghttp2_session_del(session) }

    var inFlight: Int { open.count }

    // MARK: Requests

    /// What a request that waits may expect.
    func next(at now: LoopTime) -> ConnectionState.Step {
        if nghttp2_session_check_request_allowed(session) == 0 { state.retire() }
        let step = state.next(now: now.monotonic)
        // While the socket is full a request would wait where its time runs and nobody can take it back.
        if case .take = step, !output.isEmpty { return .wait }
        return step
    }

    /// Submits a request. Only after `next` has allowed it.
    ///
    /// - Returns: false: the connection takes none; it is retired, and nothing has left.
    func submit(
        _ request: Request, _ fields: UnsafeBufferPointer<nghttp2_nv>, for recipient: Recipient, at now: LoopTime
    ) -> Bool {
        let stream = stream(for: request, recipient, now)
        let me = Unmanaged.passUnretained(stream).toOpaque()
        var body = nghttp2_data_provider(source: nghttp2_data_source(), read_callback: FrameCallbacks.readBody)
        let hasBody = !request.body.isEmpty
        let id = withUnsafePointer(to: &body) {
            nghttp2_submit_request(session, nil, fields.baseAddress, fields.count, hasBody ? $0 : nil, me)
        }
        guard id > 0 else {
            idle.append(stream)
            state.retire()
            return false
        }
        stream.id = id
        open[id] = stream
        carried += 1
        state.began()
        deadlines.append(id, at: now.monotonic &+ settings.requestTime)
        counts.requests.add(1, ordering: .relaxed)
        return true
    }

    private func stream(for request: Request, _ recipient: Recipient, _ now: LoopTime) -> HTTP2Stream {
        let isFirst = carried == 0
        guard let stream = idle.popLast() else {
            return HTTP2Stream(
                request, for: recipient, isFirst: isFirst, keptBody: settings.keptBody, now: now.monotonic)
        }
        stream.reuse(request, for: recipient, isFirst: isFirst, now: now.monotonic)
        return stream
    }

    /// Gives up the request of this caller, if it is here.
    func cancel(_ call: PendingReply, at now: LoopTime) {
        self.now = now
        let stream = open.values.first { stream in
            if case .pending(let other) = stream.recipient { other === call } else { false }
        }
        if let stream { giveUp(stream, because: .cancelled) }
    }

    /// Ends a stream, whose neighbours go on. Its number stays taken until nghttp2 has closed it.
    private func giveUp(_ stream: HTTP2Stream, because fault: Reply.Fault) {
        let id = stream.id
        nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, NGHTTP2_CANCEL.rawValue)
        nghttp2_session_set_stream_user_data(session, id, nil)
        end(stream, .cancelled, fault)
    }

    // MARK: Bytes

    /// The bytes that leave next, 16 kB at most; empty: there are none.
    func bytesToSend() -> UnsafeRawBufferPointer {
        output.fill(from: session)
        return output.waiting
    }

    /// The connection has taken so many of them.
    func wrote(_ count: Int) { output.wrote(count) }

    /// Takes what came.
    ///
    /// - Returns: why the connection has to end; nil: it goes on.
    func receive(_ bytes: UnsafeRawBufferPointer, at now: LoopTime) -> Reply.Fault? {
        self.now = now
        state.heard(now: now.monotonic)
        let taken = nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count)
        guard taken < 0 else { return nil }
        return Reply.Fault(code: ConnectionFault.framing, text: "HTTP/2: \(FrameCallbacks.text(Int32(taken)))")
    }

    /// Whether both sides are done with the connection: after an error or a GOAWAY, when nothing is open.
    var isOver: Bool { nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0 }

    // MARK: Life

    /// Sends a PING: the connection has to prove itself.
    func ping(at now: LoopTime) {
        nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
        state.pinged(now: now.monotonic)
        counts.pings.add(1, ordering: .relaxed)
    }

    /// Takes no more requests, and says so to the server once nothing is open.
    func retire() { state.retire() }

    /// Says goodbye. Afterwards `bytesToSend` has the frame.
    func sayGoodbye() { nghttp2_session_terminate_session(session, NGHTTP2_NO_ERROR.rawValue) }

    /// Gives up what has taken too long.
    ///
    /// - Returns: what is to be done with the connection.
    func check(at now: LoopTime) -> ConnectionState.Due {
        self.now = now
        while let id = deadlines.popDue(at: now.monotonic) {
            guard let stream = open[id] else { continue }
            // The peer reads nothing any more. Its frames would leave one day, if the connection lived on.
            guard output.progress(of: stream.headersAt) == .handedOver else { return .isDead }
            state.timedOut()
            giveUp(stream, because: ConnectionFault.timeout(stream, at: now))
        }
        return state.due(now: now.monotonic)
    }

    /// When to call `check` again, in nanoseconds; nil: not before something happens.
    var deadline: UInt64? { [deadlines.first, state.deadline].compactMap(\.self).min() }

    /// The connection has ended: every request gets its reply.
    func connectionEnded(because fault: Reply.Fault, at now: LoopTime) {
        self.now = now
        let fault = goAway.map { Reply.Fault(code: fault.code, text: "\(fault.text); \($0)") } ?? fault
        for stream in open.values.sorted(by: { $0.id < $1.id }) { end(stream, .connectionLost, fault) }
    }

    /// The replies since the last call.
    func takeEnded() -> [(reply: Reply, recipient: Recipient)] {
        guard !ended.isEmpty else { return [] }
        defer { ended.removeAll(keepingCapacity: true) }
        return ended
    }

    private func end(_ stream: HTTP2Stream, _ cause: StreamEnding.Cause, _ fault: @autoclosure () -> Reply.Fault) {
        open[stream.id] = nil
        deadlines.skip { open[$0] == nil }
        let ending = StreamEnding(cause: cause, status: stream.status, headers: output.progress(of: stream.headersAt))
        if ending.outcome == .answered { state.answered() }
        let timing = connecting.map { Timing(of: stream, connecting: $0, at: now) }
        ended.append((stream.reply(ending.outcome, fault(), timing: timing, at: now), stream.recipient))
        idle.append(stream)
    }
}

// MARK: - What nghttp2 reports

extension FrameSession {
    func headersAreMade(for stream: HTTP2Stream) { stream.headersAt = output.collected }

    /// - Parameter code: of RFC 9113 section 7.
    func streamClosed(_ stream: HTTP2Stream?, _ code: UInt32) {
        state.closed(now: now.monotonic)
        guard let stream else { return }  // given up before
        if code == StreamEnding.refusedStream, stream.status == 0 { counts.refusedStreams.add(1, ordering: .relaxed) }
        end(stream, .closed(code), ConnectionFault.closed(by: code, goAway))
    }

    /// A header block has come whole.
    func headersCame(for stream: HTTP2Stream) { stream.takeStatus() }

    /// The answer has ended. If the server did not wait for the rest of the body, it does not want it.
    func answerEnded(for stream: HTTP2Stream) {
        if !stream.hasSentBody { giveUp(stream, because: .cancelled) }
    }

    func settingsCame() {
        state.greeted(
            streams: Int(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)),
            now: now.monotonic)
    }

    func pingWasAnswered() { state.pingAnswered() }

    /// - Parameter reason: the server's own words, from its frame.
    func goAwayCame(_ code: UInt32, _ reason: UnsafeRawBufferPointer) {
        counts.goAways.add(1, ordering: .relaxed)
        state.retire()
        goAway = ConnectionFault.goAway(code, reason)
    }

    /// The answer is longer than what is kept of it: the rest is not waited for.
    func hasEnough(_ stream: HTTP2Stream) { giveUp(stream, because: .cancelled) }
}
