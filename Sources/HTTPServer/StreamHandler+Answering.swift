import HTTPTypes
import NIOCore
import NIOHTTP1

extension StreamHandler {
    func execute(_ plan: ResponsePlan) {
        state = .answering
        switch plan {
        case .answer(let response): after(response.delayMilliseconds) { $0.write(response) }
        case .hangUp(let isReset, let delay):
            after(delay) { handler in
                if isReset { handler.connection.reset() } else { handler.connection.closeGracefully() }
            }
        case .resetStream(let code, let delay):
            after(delay) { $0.context?.triggerUserOutboundEvent(StreamReset(code: code), promise: nil) }
        case .silence: break
        case .later(let make):
            runTask { handler, loop in
                // If it throws it was cancelled, or the maker has logged what went wrong.
                let response = try? await make()
                loop.execute {
                    handler.value.task = nil
                    guard case .answering = handler.value.state else { return }
                    guard let response else { return handler.value.close() }
                    handler.value.execute(.answer(response))
                }
            }
        }
    }

    /// Runs in a task that ends with the stream.
    private func runTask(_ body: @escaping @Sendable (NIOLoopBound<StreamHandler>, any EventLoop) async -> Void) {
        let loop = connection.eventLoop
        let handler = NIOLoopBound(self, eventLoop: loop)
        task = Task { await body(handler, loop) }
    }

    private func after(_ milliseconds: Int, _ body: @escaping @Sendable (StreamHandler) -> Void) {
        guard milliseconds > 0 else { return body(self) }
        let handler = NIOLoopBound(self, eventLoop: connection.eventLoop)
        timer = connection.eventLoop.scheduleTask(in: .milliseconds(Int64(milliseconds))) {
            handler.value.timer = nil
            body(handler.value)
        }
    }

    private func write(_ response: Response) {
        guard let context, case .answering = state else { return }
        let hasBody = !isHead && response.status != 204 && response.status != 304
        context.write(wrapOutboundOut(.head(Self.head(of: response))), promise: nil)
        guard hasBody, response.extent != .head else { return finish(response) }
        let body = response.extent == .whole ? response.body[...] : response.body.prefix(response.body.count / 2)
        if let stream = response.stream {
            writeBody(body)
            context.flush()
            self.stream(stream, of: response)
        } else if response.trickleMilliseconds > 0 {
            context.flush()
            trickle(body, of: response)
        } else {
            writeBody(body)
            finish(response)
        }
    }

    /// Names in lower case, and nothing about the connection (RFC 9113 section 8.2).
    private static func head(of response: Response) -> HTTPResponseHead {
        var headers = HTTPHeaders()
        headers.reserveCapacity(response.headers.count + 1)
        for field in response.headers { headers.add(name: field.name.canonicalName, value: field.value) }
        if response.stream == nil, response.status != 204 {
            headers.add(name: "content-length", value: "\(response.body.count)")
        }
        return HTTPResponseHead(
            version: .http2, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
    }

    private func writeBody(_ bytes: some Collection<UInt8>) {
        guard let context, !bytes.isEmpty else { return }
        var buffer = context.channel.allocator.buffer(capacity: bytes.count)
        buffer.writeBytes(bytes)
        context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
    }

    private func trickle(_ rest: ArraySlice<UInt8>, of response: Response) {
        guard let context, case .answering = state else { return }
        guard let byte = rest.first else { return finish(response) }
        writeBody(CollectionOfOne(byte))
        context.flush()
        after(response.trickleMilliseconds) { $0.trickle(rest.dropFirst(), of: response) }
    }

    private func stream(
        _ body: @escaping @Sendable (ResponseWriter) async throws -> Void, of response: Response
    ) {
        isStreaming = true
        let loop = connection.eventLoop
        let handler = NIOLoopBound(self, eventLoop: loop)
        let writer = ResponseWriter { bytes in
            try await loop.flatSubmit { handler.value.push(bytes) }.get()
        }
        runTask { handler, loop in
            var isComplete = true
            do {
                try await body(writer)
            } catch {
                isComplete = false  // the client left, or the stream failed: it gets no end
            }
            loop.execute { [isComplete] in handler.value.endStream(isComplete, of: response) }
        }
    }

    /// One piece of a streamed response.
    private func push(_ bytes: [UInt8]) -> EventLoopFuture<Void> {
        guard let context, isStreaming, case .answering = state else {
            return connection.eventLoop.makeFailedFuture(ClientGone())
        }
        writeBody(bytes)
        context.flush()
        if context.channel.isWritable { return context.eventLoop.makeSucceededVoidFuture() }
        let promise = context.eventLoop.makePromise(of: Void.self)
        writable = promise
        return promise.futureResult
    }

    private func endStream(_ isComplete: Bool, of response: Response) {
        task = nil
        isStreaming = false
        guard case .answering = state else { return }
        if isComplete { finish(response) } else { close() }
    }

    /// All of the response that is to be sent is written: ends the stream, or the connection.
    private func finish(_ response: Response) {
        guard let context, case .answering = state else { return }
        state = .answered(dropped: 0)
        let end = wrapOutboundOut(.end(nil))
        guard response.closesConnection || response.resetsConnection || response.extent != .whole else {
            return context.writeAndFlush(end, promise: nil)
        }
        let connection = NIOLoopBound(connection, eventLoop: context.eventLoop)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { [resets = response.resetsConnection] _ in
            if resets { connection.value.reset() } else { connection.value.closeGracefully() }
        }
        if response.extent == .whole {
            context.writeAndFlush(end, promise: sent)
        } else {
            let empty = context.channel.allocator.buffer(capacity: 0)
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(empty))), promise: sent)
        }
    }
}
