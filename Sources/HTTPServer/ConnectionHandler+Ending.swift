import Glibc
import NIOCore
import NIOSSL

extension ConnectionHandler {
    /// Ends our side once everything is out, and drops what still comes for a while: a connection closed with unread
    /// bytes is reset, and a client that was still sending would never read its answer.
    func leave() {
        guard let context, stopAnswering() else { return }
        state = .leaving
        let conversation = NIOLoopBound(self, eventLoop: context.eventLoop)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { _ in conversation.value.endOutput() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
        needsFlush = false
        timer = context.eventLoop.scheduleTask(in: ConnectionTimeouts.linger) { conversation.value.close() }
    }

    private func endOutput() {
        guard let context, case .leaving = state else { return }
        if isInputClosed { return close() }
        let conversation = NIOLoopBound(self, eventLoop: context.eventLoop)
        let closed = context.eventLoop.makePromise(of: Void.self)
        closed.futureResult.whenFailure { _ in conversation.value.close() }
        context.close(mode: .output, promise: closed)
        context.read()
    }

    /// The answer leaves as far as it is written; then the connection is reset.
    func resetOnceSent() {
        guard let context, stopAnswering() else { return }
        state = .leaving
        let conversation = NIOLoopBound(self, eventLoop: context.eventLoop)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { _ in conversation.value.reset() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
        needsFlush = false
    }

    /// Closes so that what is unsent is dropped and the client is told with RST.
    func reset() {
        guard let context else { return }
        if let socket = context.channel as? any SocketOptionProvider {
            // Fails only for a channel that is closed already.
            socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in }
        }
        close()
    }

    /// At once, whatever is under way; past TLS, which would wait for the client's farewell.
    func close() {
        guard let context else { return }
        _ = stopAnswering()
        state = .gone
        if let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
            tls.close(promise: nil)
        } else {
            context.close(promise: nil)
        }
    }

    private func stopAnswering() -> Bool {
        timer?.cancel()
        timer = nil
        task?.cancel()
        if case .gone = state { return false }
        return true
    }

    /// The channel is no more. What waits is told, and with the last task the conversation is over.
    func end() {
        _ = stopAnswering()
        state = .gone
        watch?.cancel()
        watch = nil
        context = nil
        writable?.fail(ClientGone())
        writable = nil
        guard let task else { return finished.succeed() }
        let finished = finished
        Task {
            await task.value
            finished.succeed()
        }
    }

    func keepWatch(_ context: ChannelHandlerContext) {
        look(again: activeAt + min(patience.idle, patience.request), context.eventLoop)
    }

    private func look(again deadline: NIODeadline, _ loop: any EventLoop) {
        let conversation = NIOLoopBound(self, eventLoop: loop)
        watch = loop.scheduleTask(deadline: deadline) { conversation.value.look() }
    }

    private func look() {
        guard let context else { return }
        let isBusy: Bool
        switch state {
        case .answering: isBusy = context.channel.isWritable
        case .waiting, .collecting: isBusy = false
        case .leaving, .gone: return  // has a timer of its own
        }
        let verdict = patience.verdict(
            now: .now(), activeAt: activeAt, requestSince: requestSince, isBusy: isBusy)
        switch verdict {
        case .lookAgain(let deadline): look(again: deadline, context.eventLoop)
        case .close: close()
        case .tooSlow:
            if case .answering = state { close() } else { refuse(408) }
        }
    }
}
