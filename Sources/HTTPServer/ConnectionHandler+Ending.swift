import NIOCore

extension ConnectionHandler {
    /// Ends our side once everything is written, and drops input for a while: closing with unread bytes resets the
    /// connection, and a client that is still sending would never read its response.
    func closeGracefully() {
        guard let context, stopAnswering() else { return }
        state = .lingering
        idle.begin()
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { _ in handler.value.endOutput() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
        needsFlush = false
    }

    private func endOutput() {
        guard let context, case .lingering = state else { return }
        if isInputClosed { return close() }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let closed = context.eventLoop.makePromise(of: Void.self)
        closed.futureResult.whenFailure { _ in handler.value.close() }
        timer = context.eventLoop.scheduleTask(in: ConnectionTimeouts.linger) { handler.value.close() }
        context.close(mode: .output, promise: closed)
        context.read()
    }

    /// Sends the response as far as it is written, then resets the connection.
    func resetOnceSent() {
        guard let context, stopAnswering() else { return }
        state = .lingering
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { _ in handler.value.reset() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
        needsFlush = false
    }

    /// Closes with RST: unsent bytes are dropped.
    func reset() {
        guard let context else { return }
        prepareToClose()
        context.reset()
    }

    /// Closes at once, whatever is under way.
    func close() {
        guard let context else { return }
        prepareToClose()
        context.closeNow()
    }

    private func prepareToClose() {
        _ = stopAnswering()
        state = .closed
    }

    /// Closes for a newcomer: at once if nothing is under way, else after the response.
    func makeRoom() {
        switch state {
        case .waiting, .lingering: close()
        case .collecting, .answering, .closed: isKeptAlive = false
        }
    }

    private func stopAnswering() -> Bool {
        timer?.cancel()
        timer = nil
        task?.cancel()
        if case .closed = state { return false }
        return true
    }

    /// The client chose HTTP/2: an `HTTP2Connection` takes over, with `finished` and `idle`. No request has come yet.
    func handOver() {
        isHandedOver = true
        timeoutCheck?.cancel()
        timeoutCheck = nil
        context = nil
    }

    /// The channel is closed: fails what waits for it, and is `finished` with the last task.
    func end() {
        if isHandedOver { return }
        _ = stopAnswering()
        state = .closed
        timeoutCheck?.cancel()
        timeoutCheck = nil
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

    func startTimeouts(_ context: ChannelHandlerContext) {
        checkTimeouts(
            at: activeAt + min(timeouts.firstByte, timeouts.idle, timeouts.request), context.eventLoop)
    }

    private func checkTimeouts(at deadline: NIODeadline, _ loop: any EventLoop) {
        let handler = NIOLoopBound(self, eventLoop: loop)
        timeoutCheck = loop.scheduleTask(deadline: deadline) { handler.value.checkTimeouts() }
    }

    private func checkTimeouts() {
        guard let context else { return }
        let isBusy: Bool
        switch state {
        case .answering: isBusy = context.channel.isWritable
        case .waiting, .collecting: isBusy = false
        case .lingering:
            if timer != nil { return }  // all is sent: the rest has its own timer
            isBusy = false
        case .closed: return
        }
        let verdict = timeouts.verdict(
            now: .now(), activeAt: activeAt, requestSince: requestSince, hasReceived: hasReceived, isBusy: isBusy)
        switch verdict {
        case .checkAgain(let deadline): checkTimeouts(at: deadline, context.eventLoop)
        case .close: close()
        case .tooSlow:
            switch state {
            case .waiting, .collecting: refuse(408)
            case .answering, .lingering, .closed: close()
            }
        }
    }
}
