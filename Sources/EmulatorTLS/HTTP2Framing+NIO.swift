import HTTPServer
import NIOCore
import NIOHTTP2

extension HTTP2Framing {
    /// The frames of NIOHTTP2, which also bounds what a client may do to them: empty frames, resets, pings.
    static let nio = HTTP2Framing { connection, firstStreams, addRequest in
        var configuration = NIOHTTP2Handler.Configuration()
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: firstStreams),
            // As for HTTP/1.1.
            HTTP2Setting(parameter: .maxHeaderListSize, value: 65_536),
        ]
        let frames = NIOLoopBound(ConnectionFrames(), eventLoop: connection.eventLoop)
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
        try connection.pipeline.syncOperations.addHandler(frames.value.pings)
        try connection.pipeline.syncOperations.addHandler(framing)
        try connection.pipeline.syncOperations.addHandler(frames.value)
    }
}

/// Writes the frames that a connection is asked for (`ConnectionEvent`). Behind the framing in the connection's pipeline.
private final class ConnectionFrames: ChannelOutboundHandler {
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let gate = FrameGate()
    let pings = PingFilter()
    /// The last stream whose request was handed on.
    var lastTaken = 0

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
            write(
                .settings(.settings([HTTP2Setting(parameter: .maxConcurrentStreams, value: count)])), context, promise)
        case .goAway(let reason):
            // Behind what is being read: its requests are handed on before, and none of them is dropped.
            let (frames, bound) = (
                NIOLoopBound(self, eventLoop: context.eventLoop), NIOLoopBound(context, eventLoop: context.eventLoop)
            )
            context.eventLoop.execute { frames.value.goAway(reason, bound.value, promise) }
        case .silentPings:
            pings.isOn = true
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

/// Notes which requests are handed on, and resets a stream (`StreamReset`). First in the stream's pipeline.
private final class StreamFrames: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let number: Int
    private let connection: ConnectionFrames

    init(number: Int, of connection: ConnectionFrames) {
        self.number = number
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.lastTaken = max(connection.lastTaken, number)
        context.fireChannelRead(data)
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

/// Once it is on, the answers to PINGs do not leave. In front of the framing, which writes them itself.
private final class PingFilter: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// Turned on between two frames.
    var isOn = false
    /// Bytes that belong to a frame whose beginning has left already.
    private var open = 0

    /// Of a frame's head (RFC 9113 section 4.1).
    private static let headSize = 9
    private static let ping: UInt8 = 0x6
    private static let acknowledged: UInt8 = 0x1

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isOn, case .byteBuffer(var buffer) = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        var kept = context.channel.allocator.buffer(capacity: buffer.readableBytes)
        while buffer.readableBytes > 0 {
            if open == 0 {
                // The framing writes heads whole.
                guard let head = buffer.getBytes(at: buffer.readerIndex, length: Self.headSize) else { break }
                let size = Self.headSize + head[..<3].reduce(0) { $0 << 8 | Int($1) }
                if head[3] == Self.ping, head[4] & Self.acknowledged != 0 {
                    buffer.moveReaderIndex(forwardBy: min(size, buffer.readableBytes))
                    continue
                }
                open = size
            }
            let part = min(open, buffer.readableBytes)
            if var bytes = buffer.readSlice(length: part) { kept.writeBuffer(&bytes) }
            open -= part
        }
        kept.writeBuffer(&buffer)
        guard kept.readableBytes > 0 else {
            promise?.succeed()
            return
        }
        context.write(wrapOutboundOut(.byteBuffer(kept)), promise: promise)
    }
}
