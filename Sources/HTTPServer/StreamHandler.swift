import HTTPTypes
import NIOCore
import NIOHTTP1

/// One request of an HTTP/2 connection and its response. Runs on the connection's event loop; only `ResponsePlan.later`
/// and `Response.stream` run in a task. `StreamHandler+Answering.swift` writes the response.
///
/// What ends a connection of HTTP/1.1 (`hangUp`, `closesConnection`, a response that is cut off) ends the connection
/// here too, with all its requests.
final class StreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    enum State {
        /// For the head.
        case waiting
        case collecting(BodyCollection)
        /// A response was decided on and is not complete.
        case answering
        /// The response is written. The rest of the body is dropped: a client that is still sending can read the
        /// response in peace.
        case answered(dropped: Int)
        case closed
    }

    let connection: HTTP2Connection
    var state = State.waiting
    var context: ChannelHandlerContext?
    var isHead = false
    var isStreaming = false
    /// The task that makes or streams the response, and the timer that delays or trickles it.
    var task: Task<Void, Never>?
    var timer: Scheduled<Void>?
    /// Fulfilled when the client takes more; a streaming task waits for it.
    var writable: EventLoopPromise<Void>?
    /// When the head came; nil: the request is complete.
    private var requestSince: NIODeadline?
    private var activeAt = NIODeadline.now()
    private var timeoutCheck: Scheduled<Void>?

    init(of connection: HTTP2Connection) { self.connection = connection }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        connection.beginRequest()
        requestSince = .now()
        checkTimeouts(at: activeAt + min(connection.timeouts.idle, connection.timeouts.request))
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        activeAt = .now()
        switch (state, unwrapInboundIn(data)) {
        case (.waiting, .head(let head)): start(head, context)
        case (.collecting(var collection), .body(let buffer)):
            state = .waiting  // the array must have one owner to grow in place
            collection.add(buffer)
            if collection.isTooLong { execute(collection.plan) } else { state = .collecting(collection) }
        case (.collecting(let collection), .end):
            requestSince = nil
            execute(collection.plan)
        case (.answered(let dropped), .body(let buffer)):
            let total = dropped + buffer.readableBytes
            state = .answered(dropped: total)
            if total > UploadedBody.slack { close() }
        case (_, .end): requestSince = nil
        default: break
        }
    }

    private func start(_ received: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let head: RequestHead
        do throws(RequestHead.Refusal) {
            head = try RequestHead(received, scheme: connection.scheme, isHTTP2: true)
        } catch {
            return execute(.answer(Response(status: error.status)))
        }
        isHead = head.request.method == .head
        switch connection.respond(head.request, connection.peer) {
        case .withoutBody(let plan): execute(plan)
        case .body(let limit, let then):
            let largest = head.expectsContinue ? limit : limit + UploadedBody.slack
            if let length = head.announcedLength, length > largest {
                return execute(then(UploadedBody(bytes: nil)))
            }
            state = .collecting(BodyCollection(limit: limit, then: then))
            if head.expectsContinue {
                let interim = HTTPResponseHead(version: .http2, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(interim)), promise: nil)
            }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            activeAt = .now()
            writable?.succeed()
            writable = nil
        }
        context.fireChannelWritabilityChanged()
    }

    /// The client reset the stream, or broke a rule of the protocol.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { close() }

    /// Ends the stream alone: a client that still waits for it sees a reset.
    func close() { context?.close(promise: nil) }

    private func checkTimeouts(at deadline: NIODeadline) {
        let handler = NIOLoopBound(self, eventLoop: connection.eventLoop)
        timeoutCheck = connection.eventLoop.scheduleTask(deadline: deadline) { handler.value.checkTimeouts() }
    }

    private func checkTimeouts() {
        guard let context else { return }
        var isBusy = false
        if case .answering = state { isBusy = context.channel.isWritable }
        let verdict = connection.timeouts.verdict(
            now: .now(), activeAt: activeAt, requestSince: requestSince, isBusy: isBusy)
        switch (verdict, state) {
        case (.checkAgain(let deadline), _): checkTimeouts(at: deadline)
        case (_, .collecting), (_, .waiting):
            execute(.answer(Response(status: 408)))
            checkTimeouts(at: .now() + connection.timeouts.idle)
        default: close()
        }
    }

    /// The stream is closed: fails what waits for it. The request has ended with its last task.
    private func end() {
        if case .closed = state { return }
        state = .closed
        timer?.cancel()
        timer = nil
        timeoutCheck?.cancel()
        timeoutCheck = nil
        writable?.fail(ClientGone())
        writable = nil
        context = nil
        guard let task else { return connection.endRequest() }
        task.cancel()
        let loop = connection.eventLoop
        let connection = NIOLoopBound(connection, eventLoop: loop)
        Task {
            await task.value
            loop.execute { connection.value.endRequest() }
        }
    }
}
