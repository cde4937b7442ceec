import NIOCore

/// The end of an HTTP/2 connection: counts its requests, closes it when it is idle or asked to, and reports when
/// nothing of it runs any more. Last in the connection's pipeline; each request has a channel of its own with a
/// `StreamHandler`, on the same event loop.
final class HTTP2Connection: ChannelInboundHandler {
    typealias InboundIn = Never

    let eventLoop: any EventLoop
    let timeouts: ConnectionTimeouts
    let scheme: String
    let respond: ConnectionResponder
    let peer: PeerConnection
    private let idle: IdleTime
    private let finished: EventLoopPromise<Void>
    private var context: ChannelHandlerContext?
    /// Requests that are being read or answered, and tasks of requests whose client has left.
    private var requests = 0
    /// To be closed after the last response.
    private var isLeaving = false
    /// Our side is ended.
    private var isClosing = false
    private var isInactive = false
    private var idleSince = NIODeadline.now()
    private var timer: Scheduled<Void>?

    /// Takes the connection over, before its first request.
    init(from handler: ConnectionHandler, on channel: any Channel, clientName: String?) {
        eventLoop = handler.finished.futureResult.eventLoop
        timeouts = handler.timeouts
        scheme = handler.scheme
        respond = handler.respond
        peer = PeerConnection(channel, isHTTP2: true, clientName: clientName)
        idle = handler.idle
        finished = handler.finished
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        watchIdleness(until: idleSince + timeouts.idle)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    /// Frames about the connection itself, which the framing has followed already.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is CloseEvent || event as? ChannelEvent == .inputClosed {
            close()
        } else if event is MakeRoomEvent {
            if requests == 0 { close() } else { isLeaving = true }
        }
    }

    /// Frames against the protocol, or a failed connection. What the framing says to the client is written already.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { closeGracefully() }

    /// A request begins.
    func beginRequest() {
        requests += 1
        idle.end()
    }

    /// A request has ended, and nothing of it runs any more.
    func endRequest() {
        requests -= 1
        guard requests == 0 else { return }
        idle.begin()
        idleSince = .now()
        if isInactive {
            finished.succeed()
        } else if isLeaving {
            // The framing may write the end of the response only after what it is reading now.
            let connection = NIOLoopBound(self, eventLoop: eventLoop)
            eventLoop.execute { if connection.value.requests == 0 { connection.value.closeGracefully() } }
        }
    }

    /// Closes at once, whatever is under way.
    func close() { context?.closeNow() }

    /// Closes with RST: unsent bytes are dropped.
    func reset() { context?.reset() }

    /// Ends our side, and closes when the client ends its own or after a while: closing with unread bytes resets the
    /// connection, and the client may never read what was sent last.
    func closeGracefully() {
        guard let context, !isClosing else { return }
        isClosing = true
        timer?.cancel()
        let connection = NIOLoopBound(self, eventLoop: eventLoop)
        timer = eventLoop.scheduleTask(in: ConnectionTimeouts.linger) { connection.value.close() }
        let ended = eventLoop.makePromise(of: Void.self)
        ended.futureResult.whenFailure { _ in connection.value.close() }
        context.close(mode: .output, promise: ended)
    }

    private func watchIdleness(until deadline: NIODeadline) {
        let connection = NIOLoopBound(self, eventLoop: eventLoop)
        timer = eventLoop.scheduleTask(deadline: deadline) { connection.value.checkIdleness() }
    }

    private func checkIdleness() {
        let deadline = (requests == 0 ? idleSince : .now()) + timeouts.idle
        if deadline <= .now() { closeGracefully() } else { watchIdleness(until: deadline) }
    }

    private func end() {
        timer?.cancel()
        timer = nil
        context = nil
        guard !isInactive else { return }
        isInactive = true
        if requests == 0 { finished.succeed() }
    }
}
