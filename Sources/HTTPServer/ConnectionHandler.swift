import HTTPTypes
import NIOCore
import NIOHTTP1

/// One connection's requests and answers, in order. Everything happens on the connection's event loop; only what has to
/// wait for something (`ResponsePlan.later`, `Response.stream`) runs in a task, one at a time.
///
/// While an answer is under way, what comes in is kept and no more is read: a client that pipelines gets its answers in
/// order, and one that reads nothing cannot fill the memory. How an answer is written stands in
/// `ConnectionHandler+Answering.swift`, how a connection ends in `ConnectionHandler+Ending.swift`.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    enum State {
        /// For the next request.
        case waiting
        case collecting(Collection)
        /// An answer was decided on and is not yet out.
        case answering
        /// The last answer is out. What still comes is dropped, so that the client can read it before the reset.
        case leaving
        case gone
    }

    struct Collection {
        let limit: Int
        let then: @Sendable (UploadedBody) -> ResponsePlan
        var bytes: [UInt8] = []
        var total = 0
    }

    let patience: ConnectionTimeouts
    let scheme: String
    private let respond: Responder

    var state = State.waiting
    var context: ChannelHandlerContext?
    /// Of the request that is being read or answered.
    var isKeptAlive = true
    var isHTTP10 = false
    var isHead = false
    /// What came in behind the request that is being answered.
    private var backlog = CircularBuffer<HTTPServerRequestPart>()
    private var isWorking = false
    /// Between the first read and `channelReadComplete`, which flushes what was answered meanwhile.
    private(set) var isInReadCycle = false
    private var wantsToRead = false
    /// The status for bytes that are no HTTP, behind everything in `backlog`.
    private var protocolError: Int?
    var isInputClosed = false
    var needsFlush = false
    /// The task that makes or streams the answer, and the timer that delays or trickles it.
    var task: Task<Void, Never>?
    var timer: Scheduled<Void>?
    /// Whoever waits until the client takes more.
    var writable: EventLoopPromise<Void>?
    var isStreaming = false
    /// When bytes of a request came first, or last; since when nothing could be written.
    var requestSince: NIODeadline?
    var activeAt = NIODeadline.now()
    var watch: Scheduled<Void>?
    /// Fulfilled when nothing of the conversation runs any more.
    let finished: EventLoopPromise<Void>

    init(on loop: any EventLoop, scheme: String, patience: ConnectionTimeouts, respond: @escaping Responder) {
        self.scheme = scheme
        self.patience = patience
        self.respond = respond
        finished = loop.makePromise()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        keepWatch(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isInReadCycle = true
        switch state {
        case .leaving, .gone: break
        case .waiting where backlog.isEmpty && !isWorking, .collecting where backlog.isEmpty && !isWorking:
            isWorking = true
            take(unwrapInboundIn(data), context)
            isWorking = false
            if !backlog.isEmpty { goOn() }
        default: backlog.append(unwrapInboundIn(data))
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        activeAt = .now()
        isInReadCycle = false
        if case .waiting = state, backlog.isEmpty {
            // Bytes have come that are no whole head yet, or only the end of an answered request.
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
        case .leaving, .gone: true
        default: backlog.isEmpty && context.channel.isWritable
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            activeAt = .now()
            writable?.succeed()
            writable = nil
            goOn()
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            isInputClosed = true
            // Who streams to a client learns in no other way that it left.
            if isStreaming { return close() }
            goOn()
            flush(context)
        } else if event is CloseEvent {
            close()
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is ByteToMessageDecoderError { return }  // more bytes behind those that were no HTTP
        guard let error = error as? HTTPParserError else { return close() }
        switch error {
        case .headerOverflow: protocolError = 431
        case .invalidVersion: protocolError = 505
        default: protocolError = 400
        }
        goOn()
        flush(context)
    }

    /// Works off what has come in, as far as that is possible now.
    func goOn() {
        guard let context, !isWorking else { return }
        isWorking = true
        defer { isWorking = false }
        while context.channel.isWritable, isListening, let part = backlog.popFirst() { take(part, context) }
        if isListening, backlog.isEmpty {
            if let status = protocolError {
                refuse(status)
            } else if isInputClosed {
                leave()
            }
        }
        if wantsToRead, mayRead(context) {
            wantsToRead = false
            context.read()
        }
    }

    private var isListening: Bool {
        switch state {
        case .waiting, .collecting: true
        default: false
        }
    }

    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch (state, part) {
        case (.waiting, .head(let head)): start(head, context)
        case (.collecting(var collection), .body(let buffer)):
            state = .waiting  // the array must have one owner to grow in place
            collection.add(buffer)
            if collection.total > collection.limit + UploadedBody.slack {
                isKeptAlive = false
                react(collection.then(UploadedBody(bytes: nil)))
            } else {
                state = .collecting(collection)
            }
        case (.collecting(let collection), .end):
            requestSince = nil
            react(collection.then(UploadedBody(bytes: collection.total > collection.limit ? nil : collection.bytes)))
        default: break  // the end of a request that was answered by its head
        }
    }

    private func start(_ received: HTTPRequestHead, _ context: ChannelHandlerContext) {
        requestSince = requestSince ?? .now()
        let head: RequestHead
        do throws(RequestHead.Refusal) {
            head = try RequestHead(received, scheme: scheme)
        } catch {
            return refuse(error.status)
        }
        isKeptAlive = head.isKeptAlive
        isHTTP10 = head.isHTTP10
        isHead = head.request.method == .head
        switch respond(head.request) {
        case .withoutBody(let reaction):
            if head.hasBody { isKeptAlive = false }
            requestSince = nil
            react(reaction)
        case .body(let limit, let then):
            // Known to be too large, and nobody has to send it in vain.
            let most = head.expectsContinue ? limit : limit + UploadedBody.slack
            if let length = head.announcedLength, length > most {
                isKeptAlive = false
                return react(then(UploadedBody(bytes: nil)))
            }
            state = .collecting(Collection(limit: limit, then: then))
            if head.expectsContinue, head.hasBody {
                var buffer = context.channel.allocator.buffer(capacity: ResponseBytes.goOn.utf8.count)
                buffer.writeString(ResponseBytes.goOn)
                write(buffer)
            }
        }
    }

    /// Says that something is wrong with the request as such, and ends the connection.
    func refuse(_ status: Int) {
        isKeptAlive = false
        isHead = false
        react(.answer(Response(status: status)))
    }
}

extension ConnectionHandler.Collection {
    fileprivate mutating func add(_ buffer: ByteBuffer) {
        total += buffer.readableBytes
        if total <= limit {
            bytes.append(contentsOf: buffer.readableBytesView)
        } else {
            bytes = []
        }
    }
}
