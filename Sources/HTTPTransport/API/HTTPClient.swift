import CLibcurl
import Concurrency
import Glibc

/// Many HTTP requests at once: one libcurl multi handle, driven by one thread of its own.
///
/// Lanes send batches and receive batches of replies through a `RequestChannel`; `perform` is for single requests.
/// Every request gets exactly one reply, which says whether the request may have left this machine. Keep the client for
/// as long as its channels are used: with its last reference it stops, as by `shutdown`.
public final class HTTPClient: Sendable {
    private let inbox: Inbox
    private let counts: AtomicCounters
    private let thread: SystemThread

    /// Starts the loop and its thread.
    ///
    /// Ignores SIGPIPE for the whole process, unless a handler is set, and raises the soft limit of open files if the
    /// slots need more.
    ///
    /// - Throws: when a setting is out of range (the error names all), the hard limit of open files is too low, the
    ///   certificate file cannot be read, or libcurl or the system refuses.
    public init(_ settings: TransportSettings = TransportSettings()) throws(TransportError) {
        let problems = settings.problems
        guard problems.isEmpty else {
            throw TransportError(
                doing: "transport settings are wrong", code: 0, text: problems.joined(separator: "; "))
        }
        if let caBundle = settings.caBundle { try Self.check(caBundle: caBundle) }
        try LibCurl.initialise()
        try DescriptorLimit.ensure(connections: settings.connectionLimit)
        let counts = AtomicCounters()
        let inbox = try Inbox(counts: counts)
        let loop: any TransportLoop =
            if let http2 = settings.http2 {
                try HTTP2Loop(settings, http2, inbox: inbox, counts: counts)
            } else {
                try Reactor(settings, inbox: inbox, counts: counts)
            }
        self.counts = counts
        self.inbox = inbox
        do throws(SystemThreadError) {
            // No signals: a handler must not run between two steps of libcurl.
            thread = try SystemThread(named: "fanfare-http", signals: .blocked, Self.job(loop, inbox))
        } catch {
            throw TransportError(doing: "cannot start the loop thread", code: error.code, text: error.description)
        }
    }

    deinit {
        inbox.stop()
    }

    /// A channel for one lane: it returns the replies to the requests sent through it.
    public func channel() -> RequestChannel {
        let channel = RequestChannel(inbox: inbox, counts: counts)
        inbox.register(channel)
        return channel
    }

    /// Sends one request, with any method. Slower than a channel: it switches threads for a single reply.
    ///
    /// When the task is cancelled, the request is abandoned and answered at once: `notSent` if nothing had left,
    /// `answered` if the status had come, otherwise `unknown`.
    public func perform(_ request: Request) async -> Reply {
        let call = PendingReply(id: request.id)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                call.arm(continuation)
                guard !Task.isCancelled else { return finish(call, .notSent(request.id, because: .cancelled)) }
                guard inbox.submit(Batch(requests: [request], recipient: .pending(call))) else {
                    return finish(call, .notSent(request.id, because: .shutDown))
                }
                // A cancellation before `submit` found nothing in the inbox to abandon.
                if Task.isCancelled { inbox.cancel(call) }
            }
        } onCancel: {
            inbox.cancel(call)
        }
    }

    /// Stops at once. Queued requests are answered `notSent`; those in flight `notSent` if nothing had left, `answered`
    /// if the status had come, otherwise `unknown`. To let requests finish, take their replies first.
    ///
    /// Afterwards the thread has ended, and later submissions are answered `notSent`. May be called more than once.
    public func shutdown() async {
        inbox.stop()
        await inbox.end()
        thread.join()
    }

    /// Returns when the loop thread has begun another turn, or has ended; earlier only when the task is cancelled. Does not
    /// return while the thread hangs: a watchdog notices by that.
    public func turn() async { await inbox.ping() }

    /// The HTTP/2 connections that are open now. Does not return while the thread hangs.
    public func connections() async -> [HTTP2Facts] { await inbox.look() }

    public var counters: Counters { counts.counters(cpuSeconds: thread.cpuSeconds) }

    /// - Throws: when the file cannot be read: better at the start than with the first push.
    private static func check(caBundle: String) throws(TransportError) {
        guard access(caBundle, R_OK) == 0 else {
            throw TransportError(doing: "cannot read caBundle \(caBundle)", code: errno, text: errorText(errno))
        }
    }

    private func finish(_ call: PendingReply, _ reply: Reply) {
        if call.answer(reply) { counts.count(reply) }
    }

    /// What the loop thread does.
    private static func job(_ loop: sending any TransportLoop, _ inbox: Inbox) -> sending () -> Void {
        var loop: (any TransportLoop)? = loop
        return {
            BatchScheduling.begin()
            loop?.run()
            loop = nil  // frees libcurl's handles and connections on the thread they belong to
            inbox.announceEnd()
        }
    }
}
