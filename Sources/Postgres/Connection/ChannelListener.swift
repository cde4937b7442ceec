import Glibc
import Synchronization

/// Hears what is notified on one channel, over a session of its own that is in no pool.
///
/// Blocks a thread of its own, in `poll`. A lost session is opened again after 0.1 s, doubling to 5 s; what waiting does not
/// mend (a pooler, a wrong password) is tried again once a minute. What was notified meanwhile nobody can know: so each new
/// session counts as heard. Lives until `close`.
public final class ChannelListener: Sendable {
    public enum State: Sendable {
        /// Whatever is committed from now on will be heard.
        case listening
        /// Not yet, or not any more; nil: nothing has gone wrong so far.
        case deaf(DatabaseError?)
    }

    /// One element when something may have been notified, and when `state` changed; several that nobody has looked at yet
    /// are one. For one reader; ends with the listener.
    public let changes: AsyncStream<Void>
    private let happens: AsyncStream<Void>.Continuation
    private let ended: AsyncStream<Void>
    private let settings: DatabaseSettings
    private let channel: String
    private let current = Mutex(State.deaf(nil))
    /// The two ends of a pipe: `bell` is readable once `close` was called, and for good.
    private let bell: Int32, rope: Int32

    /// What waiting does not mend is tried again after this.
    private static let longPause = Duration.seconds(60)

    /// Begins to connect.
    ///
    /// - Throws: `DatabaseError` when the system has no descriptor or no thread left. All else is told by `state`.
    init(_ settings: DatabaseSettings, channel: String) throws(DatabaseError) {
        self.settings = settings
        self.channel = channel
        (changes, happens) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let (ended, ending) = AsyncStream<Void>.makeStream()
        self.ended = ended
        var ends: [Int32] = [-1, -1]
        let fault = pipe(&ends) == 0 ? 0 : errno
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (bell, rope) = (ends[0], ends[1])
        guard fault == 0 else {
            throw DatabaseError(
                doing: "listen on \(channel)", message: String(cString: strerror(fault)), isTransient: true)
        }
        // The thread keeps this object alive, so the bell is there as long as somebody waits for it.
        try DetachedThread.start { [self] in
            work()
            happens.finish()
            ending.finish()
        }
    }

    deinit {
        Glibc.close(bell)
        Glibc.close(rope)
    }

    public var state: State { current.withLock { $0 } }

    public var isListening: Bool { if case .listening = state { true } else { false } }

    /// Ends the session and the thread; returns when they have ended. A session that is being opened is waited for.
    public func close() async {
        _ = write(rope, [1], 1)
        for await _ in ended {}
    }

    private func work() {
        var backoff = ReopenBackoff()
        while !isClosed {
            do throws(DatabaseError) {
                let session = try Session(settings, PreparePolicy(.never))
                try session.listen(on: channel)
                backoff.succeeded()
                tell(.listening)
                while !isClosed {
                    if try session.pollNotifications() { happens.yield() }
                    wait(for: session.socket)
                }
            } catch {
                tell(.deaf(error))
                backoff.failed(at: .now, random: .random(in: 0...1))
                let soon = backoff.notBefore.map { $0 - ContinuousClock.now } ?? .zero
                wait(atMost: error.isTransient ? soon : Self.longPause)
            }
        }
    }

    private func tell(_ state: State) {
        current.withLock { $0 = state }
        happens.yield()
    }

    private var isClosed: Bool {
        var descriptor = pollfd(fd: bell, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }

    /// Until something arrives or `close` is called. May end early, by a signal; who waits looks again.
    ///
    /// - Parameter socket: -1: only for the bell.
    private func wait(for socket: Int32 = -1, atMost limit: Duration? = nil) {
        var descriptors = [
            pollfd(fd: bell, events: Int16(POLLIN), revents: 0), pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = limit.map { max(0, ($0 / .milliseconds(1)).rounded(.up)) } ?? -1
        _ = poll(&descriptors, 2, Int32(milliseconds))
    }
}
