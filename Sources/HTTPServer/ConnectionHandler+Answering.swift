import HTTPTypes
import NIOCore

extension ConnectionHandler {
    func execute(_ plan: ResponsePlan) {
        state = .answering
        requestSince = nil
        switch plan {
        case .answer(let response):
            after(response.delayMilliseconds) { $0.begin(response) }
        case .hangUp(let isReset, let delay):
            after(delay) { handler in
                handler.isKeptAlive = false
                if isReset { handler.reset() } else { handler.closeGracefully() }
            }
        case .resetStream(_, let delay):
            after(delay) { handler in
                handler.isKeptAlive = false
                handler.reset()
            }
        case .silence:
            // As while a response is streamed: the end of the client's side ends the connection.
            isStreaming = true
        case .later(let make):
            runTask { handler, loop in
                let response: Response?
                do {
                    response = try await make()
                } catch {
                    // Cancelled, or the maker has logged what went wrong: close without a response.
                    response = nil
                }
                loop.execute {
                    handler.value.task = nil
                    guard case .answering = handler.value.state else { return }
                    guard let response else { return handler.value.close() }
                    handler.value.execute(.answer(response))
                }
            }
        }
    }

    /// Runs in a task that ends with the connection.
    private func runTask(
        _ body: @escaping @Sendable (NIOLoopBound<ConnectionHandler>, any EventLoop) async -> Void
    ) {
        guard let loop = context?.eventLoop else { return }
        let handler = NIOLoopBound(self, eventLoop: loop)
        task = Task { await body(handler, loop) }
    }

    private func after(_ milliseconds: Int, _ body: @escaping @Sendable (ConnectionHandler) -> Void) {
        guard milliseconds > 0, let loop = context?.eventLoop else { return body(self) }
        let handler = NIOLoopBound(self, eventLoop: loop)
        timer = loop.scheduleTask(in: .milliseconds(Int64(milliseconds))) {
            handler.value.timer = nil
            body(handler.value)
        }
    }

    private func begin(_ response: Response) {
        guard let context, case .answering = state else { return }
        write(response, context)
        // During a read cycle, `channelReadComplete` flushes.
        if !isInReadCycle { flush(context) }
    }

    private func write(_ response: Response, _ context: ChannelHandlerContext) {
        if response.closesConnection || response.extent != .whole { isKeptAlive = false }
        let hasNoBody = isHead || response.status == 204 || response.status == 304
        let streams = response.stream != nil
        if streams, isHTTP10 { isKeptAlive = false }
        let framing: ResponseBytes.Framing =
            response.status == 204 || streams && isHTTP10
            ? .none : streams ? .chunked : .length(response.body.count)
        var buffer = context.channel.allocator.buffer(capacity: 512 + response.body.count)
        ResponseBytes.writeHead(of: response, framing, closes: !isKeptAlive || isHTTP10, to: &buffer)
        if isHTTP10 { isKeptAlive = false }
        if hasNoBody || response.extent == .head {
            write(buffer)
            finish(resets: response.resetsConnection)
            if !isInReadCycle { flush(context) }
            return
        }
        let body = response.extent == .whole ? response.body[...] : response.body.prefix(response.body.count / 2)
        if let stream = response.stream {
            if isHTTP10 { buffer.writeBytes(body) } else { ResponseBytes.writeChunk(response.body, to: &buffer) }
            write(buffer)
            self.stream(stream)
        } else if response.trickleMilliseconds > 0 {
            write(buffer)
            trickle(body, response)
        } else {
            buffer.writeBytes(body)
            write(buffer)
            finish(resets: response.resetsConnection)
        }
    }

    private func trickle(_ rest: ArraySlice<UInt8>, _ response: Response) {
        guard let context, case .answering = state else { return }
        guard let byte = rest.first else { return finish(resets: response.resetsConnection) }
        var buffer = context.channel.allocator.buffer(capacity: 1)
        buffer.writeInteger(byte)
        write(buffer)
        flush(context)
        after(response.trickleMilliseconds) { $0.trickle(rest.dropFirst(), response) }
    }

    private func stream(_ body: @escaping @Sendable (ResponseWriter) async throws -> Void) {
        guard let loop = context?.eventLoop else { return }
        isStreaming = true
        let handler = NIOLoopBound(self, eventLoop: loop)
        let writer = ResponseWriter { bytes in
            try await loop.flatSubmit { handler.value.push(bytes) }.get()
        }
        runTask { handler, loop in
            var isComplete = true
            do {
                try await body(writer)
            } catch {
                isComplete = false  // the client left, or the stream failed: it misses the last chunk
            }
            loop.execute { [isComplete] in handler.value.endStream(isComplete) }
        }
    }

    /// One piece of a streamed response.
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

    /// The response is written: handle the next request, or end the connection.
    private func finish(resets: Bool) {
        guard isKeptAlive else {
            if resets { resetOnceSent() } else { closeGracefully() }
            return
        }
        state = .waiting
        idle.begin()
        processBacklog()
    }

    /// In pieces of 64 kB: each that is sent is traffic, so that a slow reader of a large response is not taken for idle.
    func write(_ buffer: ByteBuffer) {
        guard let context else { return }
        needsFlush = true
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        var rest = buffer
        while rest.readableBytes > 65_536, let piece = rest.readSlice(length: 65_536) {
            let sent = context.eventLoop.makePromise(of: Void.self)
            sent.futureResult.whenSuccess { handler.value.activeAt = .now() }
            context.write(wrapOutboundOut(piece), promise: sent)
        }
        context.write(wrapOutboundOut(rest), promise: nil)
    }

    func flush(_ context: ChannelHandlerContext) {
        guard needsFlush else { return }
        needsFlush = false
        context.flush()
    }
}
