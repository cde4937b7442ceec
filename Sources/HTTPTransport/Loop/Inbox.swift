import CLibcurl
import Concurrency
import Glibc
import Synchronization

/// Where other threads leave work for the loop thread, and wake it.
///
/// No wake-up is lost: the loop sets `sleeping`, checks the inbox once more, and only then waits; a submitter leaves
/// its work first and checks `sleeping` after. Few wake-ups are written: one submission in a hundred finds the loop
/// asleep.
final class Inbox: Sendable {
    struct Contents: Sendable {
        var batches: [Batch] = []
        /// Requests whose callers have stopped waiting.
        var cancelled: [PendingReply] = []
        /// Callers of `ping`.
        var pings = WaiterQueue<Void, Void>()
        /// Callers of `look`.
        var looks = WaiterQueue<Void, [HTTP2Facts]>()
        var isStopping = false

        var isEmpty: Bool {
            batches.isEmpty && cancelled.isEmpty && pings.isEmpty && looks.isEmpty && !isStopping
        }
    }

    private struct State: Sendable {
        var contents = Contents()
        /// The loop has taken its last work: nothing is accepted any more.
        var isClosed = false
        var hasEnded = false
        var waitingForEnd = WaiterQueue<Void, Void>()
        var channels: [WeakChannel] = []
        /// At this number of channels, those that are gone are removed.
        var sweepsAt = 64
    }

    private struct WeakChannel: Sendable {
        weak let channel: RequestChannel?
    }

    /// An eventfd: readable once the loop has to wake up.
    let wakeFD: Int32
    private let counts: AtomicCounters
    private let state = Mutex(State())
    private let sleeping = Atomic<Bool>(false)

    init(counts: AtomicCounters) throws(TransportError) {
        self.counts = counts
        wakeFD = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard wakeFD >= 0 else {
            throw TransportError(doing: "cannot make a wake-up descriptor", code: errno, text: errorText(errno))
        }
    }

    deinit {
        if wakeFD >= 0 { close(wakeFD) }
    }

    // MARK: Any thread

    /// - Returns: false when the loop accepts no more work; then the caller has to answer the batch.
    func submit(_ batch: Batch) -> Bool {
        let taken = state.withLock { state in
            guard !state.isClosed else { return false }
            state.contents.batches.append(batch)
            return true
        }
        if taken { wake() }
        return taken
    }

    func cancel(_ call: PendingReply) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.contents.cancelled.append(call)
        }
        wake()
    }

    /// Returns when the loop has begun another turn, or has ended; earlier only when the task is cancelled.
    func ping() async {
        await WaiterQueue.wait(whenCancelled: ()) { waiter in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.contents.pings.append(waiter) }
                return state.isClosed
            }
            if isClosed { return () }
            wake()
            return nil
        } remove: { id in
            state.withLock { $0.contents.pings.remove(id) }
        }
    }

    /// What the loop has open; empty when it has ended, or the task is cancelled.
    func look() async -> [HTTP2Facts] {
        await WaiterQueue.wait(whenCancelled: []) { waiter in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.contents.looks.append(waiter) }
                return state.isClosed
            }
            if isClosed { return [] }
            wake()
            return nil
        } remove: { id in
            state.withLock { $0.contents.looks.remove(id) }
        }
    }

    func stop() {
        state.withLock { $0.contents.isStopping = true }
        wake()
    }

    func register(_ channel: RequestChannel) {
        let isClosed = state.withLock { state in
            if state.channels.count >= state.sweepsAt {
                state.channels.removeAll { $0.channel == nil }
                state.sweepsAt = max(64, 2 * state.channels.count)  // a worker with 2,000 hubs has 6,000
            }
            state.channels.append(WeakChannel(channel: channel))
            return state.hasEnded
        }
        if isClosed { channel.close() }
    }

    /// Returns once every request has been answered and libcurl's handles are freed. Cancellation does not end the
    /// wait.
    func end() async {
        await WaiterQueue.wait { waiter in
            state.withLock { state in
                if state.hasEnded { return () }
                state.waitingForEnd.append(waiter)
                return nil
            }
        }
    }

    private func wake() {
        guard sleeping.exchange(false, ordering: .sequentiallyConsistent) else { return }
        counts.wakeUps.add(1, ordering: .relaxed)
        var one: UInt64 = 1
        // It fails only when the counter is full, and then the descriptor is readable already.
        _ = write(wakeFD, &one, MemoryLayout<UInt64>.size)
    }

    // MARK: Loop thread

    /// All work that was left, under one lock. After `isStopping` no more comes.
    func take() -> Contents {
        state.withLock { state in
            guard !state.contents.isEmpty else { return Contents() }
            if state.contents.isStopping { state.isClosed = true }
            var taken = Contents()
            swap(&taken, &state.contents)
            return taken
        }
    }

    /// Announces that the loop is about to wait.
    ///
    /// - Returns: false when work has come after all: then it must not wait.
    func fallAsleep() -> Bool {
        sleeping.store(true, ordering: .sequentiallyConsistent)
        guard state.withLock({ $0.contents.isEmpty }) else {
            wakeUp()
            return false
        }
        return true
    }

    func wakeUp() {
        sleeping.store(false, ordering: .sequentiallyConsistent)
    }

    func drainWakeFD() {
        var count: UInt64 = 0
        // It fails only when there is nothing to read.
        _ = read(wakeFD, &count, MemoryLayout<UInt64>.size)
    }

    /// Closes the channels and wakes callers of `end`: the last thing the loop thread does.
    func announceEnd() {
        let (channels, waiting) = state.withLock { state in
            state.hasEnded = true
            defer { state.channels = [] }
            return (state.channels, state.waitingForEnd.popAll())
        }
        for entry in channels { entry.channel?.close() }
        for waiter in waiting { waiter.resume(returning: ()) }
    }
}
