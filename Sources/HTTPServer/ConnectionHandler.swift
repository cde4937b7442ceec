import HTTPTypes
import NIOCore
import NIOHTTP1

/// The requests and responses of one connection, in order. Runs on the connection's event loop; only
/// `ResponsePlan.later` and `Response.stream` run in a task, one at a time.
///
/// While a response is under way, input that has arrived is kept and no more is read: a client that pipelines gets its
/// responses in order, and one that reads nothing cannot fill the memory. `ConnectionHandler+Answering.swift` writes
/// responses, `ConnectionHandler+Ending.swift` ends the connection.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    enum State {
        /// For the next request.
        case waiting
        case collecting(BodyCollection)
        /// A response was decided on and is not written yet.
        case answering
        /// The last response is written. Input is dropped, so that the client can read the response before a reset.
        case lingering
        case closed
    }

    let timeouts: ConnectionTimeouts
    let scheme: String
    /// How long no request has been under way, for the listener.
    let idle: IdleTime
    let respond: ConnectionResponder
    private var peer: PeerConnection?

    var state = State.waiting
    var context: ChannelHandlerContext?
    // Of the request that is being read or answered.
    var isKeptAlive = true
    var isHTTP10 = false
    var isHead = false
    /// Input behind the request that is being answered.
    private var backlog = CircularBuffer<HTTPServerRequestPart>()
    private var isWorking = false
    /// Between the first read and `channelReadComplete`, which flushes the responses written meanwhile.
    private(set) var isInReadCycle = false
    private var wantsToRead = false
    /// The status for bytes that are not HTTP, behind everything in `backlog`.
    private var protocolError: Int?
    var isInputClosed = false
    var needsFlush = false
    /// The task that makes or streams the response, and the timer that delays or trickles it.
    var task: Task<Void, Never>?
    var timer: Scheduled<Void>?
    /// Fulfilled when the client takes more; a streaming task waits for it.
    var writable: EventLoopPromise<Void>?
    var isStreaming = false
    /// When the first byte of the unfinished request came, and when something was last read or written.
    var requestSince: NIODeadline?
    var activeAt = NIODeadline.now()
    private(set) var hasReceived = false
    var timeoutCheck: Scheduled<Void>?
    var isHandedOver = false
    /// Fulfilled when nothing of this connection runs any more.
    let finished: EventLoopPromise<Void>

    init(
        on loop: any EventLoop, scheme: String, timeouts: ConnectionTimeouts, idle: IdleTime = IdleTime(),
        respond: @escaping ConnectionResponder
    ) {
        self.scheme = scheme
        self.timeouts = timeouts
        self.idle = idle
        self.respond = respond
        finished = loop.makePromise()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        peer = PeerConnection(context.channel, isHTTP2: false)
        startTimeouts(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isInReadCycle = true
        switch state {
        case .lingering, .closed: break
        case .waiting where backlog.isEmpty && !isWorking, .collecting where backlog.isEmpty && !isWorking:
            isWorking = true
            handle(unwrapInboundIn(data), context)
            isWorking = false
            if !backlog.isEmpty { processBacklog() }
        default: backlog.append(unwrapInboundIn(data))
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // A client that only sends, and does not read its last response, is idle.
        if case .lingering = state {} else { activeAt = .now() }
        hasReceived = true
        isInReadCycle = false
        if case .waiting = state, backlog.isEmpty {
            // The bytes are an incomplete head, or only the end of an answered request.
            if !needsFlush { requestSince = requestSince ?? activeAt }
        }
        flush(context)
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if mayRead(context) { context.read() } else { wantsToRead = true }
    }

    private func mayRead(_ context: ChannelHandlerContext) -> Bool {
        switch state {
        case .lingering, .closed: true
        default: backlog.isEmpty && context.channel.isWritable
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            activeAt = .now()
            writable?.succeed()
            writable = nil
            processBacklog()
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            isInputClosed = true
            // A stream learns in no other way that its client has left.
            if isStreaming { return close() }
            processBacklog()
            flush(context)
        } else if event is CloseEvent {
            close()
        } else if event is MakeRoomEvent {
            makeRoom()
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is ByteToMessageDecoderError { return }  // more bytes behind those that were not HTTP
        guard let error = error as? HTTPParserError else { return close() }
        switch error {
        case .headerOverflow: protocolError = 431
        case .invalidVersion: protocolError = 505
        default: protocolError = 400
        }
        processBacklog()
        flush(context)
    }

    /// Handles kept input, as far as that is possible now.
    func processBacklog() {
        guard let context, !isWorking else { return }
        isWorking = true
        defer { isWorking = false }
        while context.channel.isWritable, isReceiving, let part = backlog.popFirst() { handle(part, context) }
        if isReceiving, backlog.isEmpty {
            if let status = protocolError {
                refuse(status)
            } else if isInputClosed {
                closeGracefully()
            }
        }
        if wantsToRead, mayRead(context) {
            wantsToRead = false
            context.read()
        }
    }

    private var isReceiving: Bool {
        switch state {
        case .waiting, .collecting: true
        default: false
        }
    }

    private func handle(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch (state, part) {
        case (.waiting, .head(let head)): start(head, context)
        case (.collecting(var collection), .body(let buffer)):
            state = .waiting  // the array must have one owner to grow in place
            collection.add(buffer)
            if collection.isTooLong {
                isKeptAlive = false
                execute(collection.plan)
            } else {
                state = .collecting(collection)
            }
        case (.collecting(let collection), .end):
            requestSince = nil
            execute(collection.plan)
        default: break  // the end of a request that was answered at its head
        }
    }

    private func start(_ received: HTTPRequestHead, _ context: ChannelHandlerContext) {
        requestSince = requestSince ?? .now()
        idle.end()
        let head: RequestHead
        do throws(RequestHead.Refusal) {
            head = try RequestHead(received, scheme: scheme)
        } catch {
            return refuse(error.status)
        }
        isKeptAlive = head.isKeptAlive
        isHTTP10 = head.isHTTP10
        isHead = head.request.method == .head
        switch respond(head.request, peer ?? PeerConnection(context.channel, isHTTP2: false)) {
        case .withoutBody(let plan):
            if head.hasBody { isKeptAlive = false }
            requestSince = nil
            execute(plan)
        case .body(let limit, let then):
            // Announced as too large: the client need not send it.
            let largest = head.expectsContinue ? limit : limit + UploadedBody.slack
            if let length = head.announcedLength, length > largest {
                isKeptAlive = false
                return execute(then(UploadedBody(bytes: nil)))
            }
            state = .collecting(BodyCollection(limit: limit, then: then))
            if head.expectsContinue, head.hasBody {
                var buffer = context.channel.allocator.buffer(capacity: ResponseBytes.continueLine.utf8.count)
                buffer.writeString(ResponseBytes.continueLine)
                write(buffer)
                if !isInReadCycle { flush(context) }
            }
        }
    }

    /// Answers a request that is not valid HTTP or came too slowly, and ends the connection.
    func refuse(_ status: Int) {
        isKeptAlive = false
        isHead = false
        execute(.answer(Response(status: status)))
    }
}
