import Concurrency
import Glibc
import Synchronization

/// Listens for notifications on one channel, over a session of its own outside the pool.
///
/// Blocks its own thread, in `poll`. A lost session is opened again after 0.1 s, doubling to 0.8 s; after an error that
/// waiting does not cure (a pooler, a wrong password) it tries once a minute. Notifications sent meanwhile are lost, so
/// each new session counts as a notification. Lives until `close`.
public final class ChannelListener: Sendable {
    public enum State: Sendable {
        /// Everything committed from now on is noticed.
        case listening
        /// Not yet, or not any more; nil: no attempt has failed so far.
        case notListening(DatabaseError?)
    }

    /// One element when something may have been notified, and when `state` changed; unread elements are merged into
    /// one. For one reader; ends with the listener.
    public let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private let ended = Latch()
    private let settings: DatabaseSettings
    private let channel: String
    private let current = Mutex(State.notListening(nil))
    /// The two ends of a pipe: `stopReader` is readable from `close` on.
    private let stopReader: Int32, stopWriter: Int32

    /// The pause after an error that waiting does not cure.
    private static let longPause = Duration.seconds(60)

    /// Begins to connect.
    ///
    /// - Throws: `DatabaseError` when the system has no descriptor or no thread left. `state` has every later error.
    init(_ settings: DatabaseSettings, channel: String) throws(DatabaseError) {
        self.settings = settings
        self.channel = channel
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        var ends: [Int32] = [-1, -1]
        let fault = pipe(&ends) == 0 ? 0 : errno
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (stopReader, stopWriter) = (ends[0], ends[1])
        guard fault == 0 else {
            throw DatabaseError(
                doing: "listen on \(channel)", message: String(cString: strerror(fault)), isTransient: true)
        }
        // The thread keeps this object alive, so the pipe is open while it polls.
        try DatabaseError.startThread(named: "fanfare-listen") { [self] in
            work()
            changed.finish()
            ended.happen()
        }
    }

    deinit {
        Glibc.close(stopReader)
        Glibc.close(stopWriter)
    }

    public var state: State { current.withLock { $0 } }

    public var isListening: Bool { if case .listening = state { true } else { false } }

    /// Ends the session and the thread; returns when both have ended. Waits for a connection attempt under way.
    public func close() async {
        _ = write(stopWriter, [1], 1)
        await ended.wait()
    }

    private func work() {
        var backoff = ReopenBackoff()
        while !isClosed {
            do throws(DatabaseError) {
                let session = try Session(settings, PreparePolicy(.never))
                try session.listen(on: channel)
                backoff.succeeded()
                set(.listening)
                while !isClosed {
                    if try session.pollNotifications() { changed.yield() }
                    wait(for: session.socket)
                }
            } catch {
                set(.notListening(error))
                backoff.failed(at: .now, random: .random(in: 0...1))
                let soon = backoff.notBefore.map { $0 - ContinuousClock.now } ?? .zero
                wait(atMost: error.isTransient ? soon : Self.longPause)
            }
        }
    }

    private func set(_ state: State) {
        current.withLock { $0 = state }
        changed.yield()
    }

    private var isClosed: Bool {
        var descriptor = pollfd(fd: stopReader, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }

    /// Returns when something arrives or `close` is called. A signal may end it early: the caller checks again.
    ///
    /// - Parameter socket: -1: wait for `close` only.
    private func wait(for socket: Int32 = -1, atMost limit: Duration? = nil) {
        var descriptors = [
            pollfd(fd: stopReader, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = limit.map { max(0, ($0 / .milliseconds(1)).rounded(.up)) } ?? -1
        _ = poll(&descriptors, 2, Int32(milliseconds))
    }
}
