import CLibcurl

/// Many HTTP requests at once: one libcurl multi handle, driven by one thread of its own.
///
/// Lanes hand over batches and take batches of replies through an `RequestChannel`; `perform` is for single calls. Every request
/// gets exactly one reply, and the reply says honestly whether it may have left. Keep the loop for as long as its outlets
/// are used: when it goes, it stops as if shut down.
public final class HTTPClient: Sendable {
    private let inbox: Inbox
    private let tally: AtomicCounters
    private let thread: LoopThread

    /// Starts the loop and its thread.
    ///
    /// Ignores SIGPIPE for the whole process, unless somebody has set a handler, and raises the soft limit of open files
    /// where the slots need it.
    ///
    /// - Throws: when a setting is out of range (all of them are named), the hard limit of open files is too low, the
    ///   certificate file cannot be read, or libcurl or the system refuse.
    public init(_ settings: TransportSettings = TransportSettings()) throws(TransportError) {
        let problems = settings.problems
        guard problems.isEmpty else {
            throw TransportError(
                doing: "transport settings are wrong", code: 0, text: problems.joined(separator: "; "))
        }
        if let caBundle = settings.caBundle { try CABundle.check(caBundle) }
        try LibCurl.initialise()
        try DescriptorLimit.ensure(connections: settings.connectionLimit)
        let tally = AtomicCounters()
        let inbox = try Inbox(tally: tally)
        let reactor = try Reactor(settings, inbox: inbox, tally: tally)
        self.tally = tally
        self.inbox = inbox
        thread = try LoopThread(named: "fanfare-http", Self.life(of: reactor, inbox))
    }

    deinit {
        inbox.stop()
    }

    /// A door of its own for one lane. Replies to its requests come back there and nowhere else.
    public func channel() -> RequestChannel {
        let channel = RequestChannel(inbox: inbox, tally: tally)
        inbox.register(channel)
        return channel
    }

    /// One request, any method. Slower than an outlet: it hops between threads for a single reply.
    ///
    /// When the task is cancelled, the request is given up and answered at once: `notSent` when nothing had left,
    /// otherwise `unknown`, or `answered` when the status was there.
    public func perform(_ request: Request) async -> Reply {
        let call = PendingReply(id: request.id)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                call.arm(continuation)
                guard !Task.isCancelled else { return settle(call, .notSent(request.id, because: .cancelled)) }
                guard inbox.submit(Batch(requests: [request], recipient: .pending(call))) else {
                    return settle(call, .notSent(request.id, because: .shutDown))
                }
                // A cancellation between the two looks has found nothing in the inbox to give up.
                if Task.isCancelled { inbox.cancel(call) }
            }
        } onCancel: {
            inbox.cancel(call)
        }
    }

    /// Stops at once. What waits is answered `notSent`; what is in flight `unknown`, or `answered` when the status was
    /// there, or `notSent` when nothing had left. To let requests finish, take their replies first.
    ///
    /// Afterwards the thread has ended, and later submissions are answered `notSent`. May be called more than once.
    public func shutdown() async {
        inbox.stop()
        await inbox.end()
        thread.join()
    }

    /// Returns when the loop's thread has made another turn, or has ended. Not at all while it is stuck: whoever watches
    /// over it notices by that.
    public func turn() async { await inbox.ping() }

    /// What has happened so far.
    public var counters: Counters { tally.counters(cpuSeconds: thread.cpuSeconds) }

    private func settle(_ call: PendingReply, _ reply: Reply) {
        if call.answer(reply) { tally.count(reply) }
    }

    private static func life(of reactor: sending Reactor, _ inbox: Inbox) -> sending () -> Void {
        var reactor: Reactor? = reactor
        return {
            reactor?.run()
            reactor = nil  // libcurl's handles and connections go here, on their own thread
            inbox.announceEnd()
        }
    }
}
