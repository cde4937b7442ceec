import HTTPServer
import NIOCore
import NIOHPACK
import NIOHTTP2

extension HTTP2Framing {
    /// The frames of NIOHTTP2, which also bounds what a client may do to them: empty frames, resets, pings.
    static let nio = HTTP2Framing { connection, firstStreams, addRequest in
        var configuration = NIOHTTP2Handler.Configuration()
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: ConnectionFrames.anyNumber),
            // As for HTTP/1.1.
            HTTP2Setting(parameter: .maxHeaderListSize, value: 65_536),
        ]
        // What a client sends on a stream before it learns that the stream is refused is read over.
        configuration.connection.maximumRecentlyResetStreams = 1_000
        let frames = NIOLoopBound(ConnectionFrames(streams: firstStreams), eventLoop: connection.eventLoop)
        let framing = NIOHTTP2Handler(
            mode: .server, eventLoop: connection.eventLoop, connectionConfiguration: configuration.connection,
            streamConfiguration: configuration.stream
        ) { request in
            request.eventLoop.makeCompletedFuture {
                let number = try request.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
                try request.pipeline.syncOperations.addHandler(
                    StreamFrames(number: number.map(Int.init) ?? 0, of: frames.value))
                try request.pipeline.syncOperations.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
                try addRequest(request)
            }
        }
        try connection.pipeline.syncOperations.addHandler(frames.value.gate)
        try connection.pipeline.syncOperations.addHandler(frames.value.outgoing)
        try connection.pipeline.syncOperations.addHandler(framing)
        try connection.pipeline.syncOperations.addHandler(frames.value)
    }
}

/// Writes the frames that a connection is asked for (`ConnectionEvent`), and counts its streams. Behind the framing in the
/// connection's pipeline.
private final class ConnectionFrames: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let gate = FrameGate()
    let outgoing = OutgoingFrames()
    /// The last stream whose request was handed on.
    private(set) var lastTaken = 0
    private var limit = StreamLimit()
    /// Streams whose requests were handed on and that have not ended.
    private var openStreams = 0

    /// The limit of streams that the framing knows, in place of which `OutgoingFrames` writes the real one.
    static let anyNumber = Int(Int32.max)

    /// - Parameter streams: that the first SETTINGS allow.
    init(streams: Int) { announce(streams) }

    private func announce(_ streams: Int) {
        limit.announce(streams)
        outgoing.streamLimits.append(streams)
    }

    /// A request has come.
    ///
    /// - Returns: false: its stream is one too many.
    func take(_ stream: Int) -> Bool {
        if let most = limit.value, openStreams >= most { return false }
        openStreams += 1
        lastTaken = max(lastTaken, stream)
        return true
    }

    /// A stream that was taken has ended.
    func endStream() { openStreams -= 1 }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .settings(.ack) = unwrapInboundIn(data).payload { limit.acknowledge() }
        context.fireChannelRead(data)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let (frames, context) = (
            NIOLoopBound(self, eventLoop: context.eventLoop), NIOLoopBound(context, eventLoop: context.eventLoop)
        )
        gate.credit = { frames.value.write(.windowUpdate(windowSizeIncrement: $0), context.value, nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { gate.credit = { _ in } }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        switch event as? ConnectionEvent {
        case nil: context.triggerUserOutboundEvent(event, promise: promise)
        case .streams(let count):
            announce(count)
            write(
                .settings(.settings([HTTP2Setting(parameter: .maxConcurrentStreams, value: Self.anyNumber)])), context,
                promise)
        case .goAway(let reason):
            // Behind what is being read: its requests are handed on before, and none of them is dropped.
            let (frames, bound) = (
                NIOLoopBound(self, eventLoop: context.eventLoop), NIOLoopBound(context, eventLoop: context.eventLoop)
            )
            context.eventLoop.execute { frames.value.goAway(reason, bound.value, promise) }
        case .silentPings:
            outgoing.areAnswersToPingsLost = true
            promise?.succeed()
        }
    }

    private func goAway(_ reason: String, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        gate.lastStream = lastTaken
        write(
            .goAway(
                lastStreamID: HTTP2StreamID(lastTaken), errorCode: .noError,
                opaqueData: ByteBuffer(string: "{\"reason\":\"\(reason)\"}")), context, promise)
    }

    private func write(
        _ payload: HTTP2Frame.FramePayload, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
    ) {
        context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: promise)
    }
}

/// Hands the request of a stream on, or refuses it as one too many, and resets a stream (`StreamReset`). First in the stream's
/// pipeline.
private final class StreamFrames: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private enum State { case waiting, taken, refused, ended }

    private let number: Int
    private let connection: ConnectionFrames
    private var state = State.waiting
    /// Bytes of the body that the response still lacks; nil: it does not say.
    private var missing: Int?
    /// The last frame of the response, which leaves with its end as one frame, as APNs' does: aioapns takes an empty DATA for bad
    /// JSON, and loses the connection.
    private var last: (payload: HTTP2Frame.FramePayload, promise: EventLoopPromise<Void>?)?

    init(number: Int, of connection: ConnectionFrames) {
        self.number = number
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .waiting:
            guard connection.take(number) else {
                state = .refused
                return context.writeAndFlush(wrapOutboundOut(.rstStream(.refusedStream)), promise: nil)
            }
            state = .taken
            context.fireChannelRead(wrapInboundOut(Self.withAuthority(unwrapInboundIn(data))))
        case .taken: context.fireChannelRead(data)
        case .refused, .ended: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        if state == .taken { connection.endStream() }
        state = .ended
        last?.promise?.fail(ChannelError.ioOnClosedChannel)
        last = nil
    }

    /// A request may have `host` in place of `:authority` (RFC 9113 section 8.3.1), without which the codec takes none.
    private static func withAuthority(_ payload: HTTP2Frame.FramePayload) -> HTTP2Frame.FramePayload {
        guard case .headers(var head) = payload, !head.headers.contains(name: ":authority"),
            let host = head.headers.first(name: "host")
        else { return payload }
        var headers = HPACKHeaders([(":authority", host)])
        headers.add(contentsOf: head.headers)
        head.headers = headers
        return .headers(head)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let payload = unwrapOutboundIn(data)
        guard let last else {
            if completes(payload) { self.last = (payload, promise) } else { context.write(data, promise: promise) }
            return
        }
        self.last = nil
        guard let whole = Self.whole(last.payload, endedBy: payload) else {
            context.write(wrapOutboundOut(last.payload), promise: last.promise)
            return context.write(data, promise: promise)
        }
        if let earlier = last.promise { promise?.futureResult.cascade(to: earlier) }
        context.write(wrapOutboundOut(whole), promise: promise ?? last.promise)
    }

    /// Whether this is the last frame of a response, which does not say so itself.
    private func completes(_ payload: HTTP2Frame.FramePayload) -> Bool {
        switch payload {
        case .headers(let head) where !head.endStream:
            missing = head.headers.first(name: "content-length").flatMap { Int($0) }
        case .data(let data) where !data.endStream && data.data.readableBytes > 0:
            missing = missing.map { $0 - data.data.readableBytes }
        default: return false
        }
        return missing == 0
    }

    /// nil: the second frame is more than the end.
    private static func whole(
        _ last: HTTP2Frame.FramePayload, endedBy next: HTTP2Frame.FramePayload
    ) -> HTTP2Frame.FramePayload? {
        guard case .data(let end) = next, end.endStream, end.data.readableBytes == 0 else { return nil }
        switch last {
        case .headers(var head):
            head.endStream = true
            return .headers(head)
        case .data(var data):
            data.endStream = true
            return .data(data)
        default: return nil
        }
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard let reset = event as? StreamReset else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        let code = HTTP2ErrorCode(networkCode: Int(reset.code))
        context.writeAndFlush(wrapOutboundOut(.rstStream(code)), promise: promise)
    }
}
