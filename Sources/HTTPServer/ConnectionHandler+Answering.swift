import HTTPTypes
import NIOCore

extension ConnectionHandler {
    func react(_ reaction: ResponsePlan) {
        state = .answering
        requestSince = nil
        switch reaction {
        case .answer(let answer):
            after(answer.delayMilliseconds) { $0.begin(answer) }
        case .hangUp(let isReset, let delay):
            after(delay) { conversation in
                conversation.isKeptAlive = false
                if isReset { conversation.reset() } else { conversation.leave() }
            }
        case .later(let make):
            run { conversation, loop in
                let answer: Response?
                do {
                    answer = try await make()
                } catch {
                    // It was cancelled, or has said elsewhere what went wrong: there is nothing to answer.
                    answer = nil
                }
                loop.execute {
                    conversation.value.task = nil
                    guard case .answering = conversation.value.state else { return }
                    guard let answer else { return conversation.value.close() }
                    conversation.value.react(.answer(answer))
                }
            }
        }
    }

    /// Runs in a task that ends with the connection.
    private func run(
        _ body: @escaping @Sendable (NIOLoopBound<ConnectionHandler>, any EventLoop) async -> Void
    ) {
        guard let loop = context?.eventLoop else { return }
        let conversation = NIOLoopBound(self, eventLoop: loop)
        task = Task { await body(conversation, loop) }
    }

    private func after(_ milliseconds: Int, _ body: @escaping @Sendable (ConnectionHandler) -> Void) {
        guard milliseconds > 0, let loop = context?.eventLoop else { return body(self) }
        let conversation = NIOLoopBound(self, eventLoop: loop)
        timer = loop.scheduleTask(in: .milliseconds(Int64(milliseconds))) {
            conversation.value.timer = nil
            body(conversation.value)
        }
    }

    private func begin(_ answer: Response) {
        guard let context, case .answering = state else { return }
        write(answer, context)
        // What was answered while bytes are read in leaves when they all are.
        if !isInReadCycle { flush(context) }
    }

    private func write(_ answer: Response, _ context: ChannelHandlerContext) {
        if answer.closesConnection || answer.extent != .whole { isKeptAlive = false }
        let isBare = isHead || answer.status == 204 || answer.status == 304
        let streams = answer.stream != nil
        if streams, isHTTP10 { isKeptAlive = false }
        let framing: ResponseBytes.Framing =
            answer.status == 204 || streams && isHTTP10
            ? .none : streams ? .chunked : .length(answer.body.count)
        var buffer = context.channel.allocator.buffer(capacity: 512 + answer.body.count)
        ResponseBytes.writeHead(of: answer, framing, closes: !isKeptAlive || isHTTP10, to: &buffer)
        if isHTTP10 { isKeptAlive = false }
        if isBare || answer.extent == .head {
            write(buffer)
            finish(resets: answer.resetsConnection)
            if !isInReadCycle { flush(context) }
            return
        }
        let body = answer.extent == .whole ? answer.body[...] : answer.body.prefix(answer.body.count / 2)
        if let stream = answer.stream {
            if isHTTP10 { buffer.writeBytes(body) } else { ResponseBytes.writeChunk(answer.body, to: &buffer) }
            write(buffer)
            self.stream(stream)
        } else if answer.trickleMilliseconds > 0 {
            write(buffer)
            trickle(body, answer)
        } else {
            buffer.writeBytes(body)
            write(buffer)
            finish(resets: answer.resetsConnection)
        }
    }

    private func trickle(_ rest: ArraySlice<UInt8>, _ answer: Response) {
        guard let context, case .answering = state else { return }
        guard let byte = rest.first else { return finish(resets: answer.resetsConnection) }
        var buffer = context.channel.allocator.buffer(capacity: 1)
        buffer.writeInteger(byte)
        write(buffer)
        flush(context)
        after(answer.trickleMilliseconds) { $0.trickle(rest.dropFirst(), answer) }
    }

    private func stream(_ body: @escaping @Sendable (ResponseWriter) async throws -> Void) {
        guard let loop = context?.eventLoop else { return }
        isStreaming = true
        let writer = ResponseWriter(self, on: loop)
        run { conversation, loop in
            var isComplete = true
            do {
                try await body(writer)
            } catch {
                isComplete = false  // the client went, or the stream broke: the missing last chunk tells
            }
            loop.execute { [isComplete] in conversation.value.endStream(isComplete) }
        }
    }

    /// One piece of a streamed answer.
    func push(_ bytes: [UInt8]) -> EventLoopFuture<Void> {
        guard let context, isStreaming, case .answering = state else {
            return finished.futureResult.eventLoop.makeFailedFuture(ClientGone())
        }
        var buffer = context.channel.allocator.buffer(capacity: bytes.count + 16)
        if isHTTP10 { buffer.writeBytes(bytes) } else { ResponseBytes.writeChunk(bytes, to: &buffer) }
        write(buffer)
        flush(context)
        if context.channel.isWritable { return context.eventLoop.makeSucceededVoidFuture() }
        let promise = context.eventLoop.makePromise(of: Void.self)
        writable = promise
        return promise.futureResult
    }

    private func endStream(_ isComplete: Bool) {
        task = nil
        isStreaming = false
        guard let context, case .answering = state else { return end() }
        guard isComplete else { return close() }
        if !isHTTP10 {
            var buffer = context.channel.allocator.buffer(capacity: 8)
            buffer.writeString(ResponseBytes.lastChunk)
            write(buffer)
        }
        finish(resets: false)
        flush(context)
    }

    /// The answer is written: on to the next request, or the connection ends.
    private func finish(resets: Bool) {
        guard isKeptAlive else {
            if resets { resetOnceSent() } else { leave() }
            return
        }
        state = .waiting
        goOn()
    }

    func write(_ buffer: ByteBuffer) {
        needsFlush = true
        context?.write(wrapOutboundOut(buffer), promise: nil)
    }

    func flush(_ context: ChannelHandlerContext) {
        guard needsFlush else { return }
        needsFlush = false
        context.flush()
    }
}
