import CLibcurl
import Glibc
import Synchronization

/// Where other threads leave work for the loop thread, and wake it.
///
/// No wake-up is lost: the loop says that it sleeps, looks once more, and only then waits. Whoever submits leaves the
/// work first and looks for a sleeper after. And few are written: one submission in a hundred finds the loop asleep.
final class Inbox: Sendable {
    struct Contents: Sendable {
        var batches: [Batch] = []
        /// Calls whose callers have stopped waiting.
        var cancelled: [PendingReply] = []
        /// Who waits for the loop to come by.
        var callers: [CheckedContinuation<Void, Never>] = []
        var isStopping = false

        var isEmpty: Bool { batches.isEmpty && cancelled.isEmpty && callers.isEmpty && !isStopping }
    }

    private struct State: Sendable {
        var contents = Contents()
        /// Nothing is taken in any more: the loop has emptied the box for the last time.
        var isClosed = false
        var hasEnded = false
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
        var outlets: [WeakOutlet] = []
    }

    private struct WeakOutlet: Sendable {
        weak let channel: RequestChannel?
    }

    /// An eventfd: readable once somebody has rung.
    let wakeFD: Int32
    private let tally: AtomicCounters
    private let state = Mutex(State())
    private let sleeping = Atomic<Bool>(false)

    init(tally: AtomicCounters) throws(TransportError) {
        self.tally = tally
        wakeFD = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard wakeFD >= 0 else {
            throw TransportError(doing: "cannot make a wake-up descriptor", code: errno, text: errorText(errno))
        }
    }

    deinit {
        if wakeFD >= 0 { close(wakeFD) }
    }

    // MARK: Any thread

    /// - Returns: false when the loop takes no more work; the batch is still the caller's to answer.
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

    /// Returns when the loop has come by, or has ended.
    func ping() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed { state.contents.callers.append(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume() } else { wake() }
        }
    }

    func stop() {
        state.withLock { $0.contents.isStopping = true }
        wake()
    }

    func register(_ channel: RequestChannel) {
        let isClosed = state.withLock { state in
            state.outlets.removeAll { $0.channel == nil }
            state.outlets.append(WeakOutlet(channel: channel))
            return state.hasEnded
        }
        if isClosed { channel.close() }
    }

    /// Returns once everything has been answered and libcurl's handles are gone.
    func end() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waitingForEnd.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    private func wake() {
        guard sleeping.exchange(false, ordering: .sequentiallyConsistent) else { return }
        tally.wakeUps.add(1, ordering: .relaxed)
        var one: UInt64 = 1
        // It can only fail when the counter is full, and then the bell is ringing already.
        _ = write(wakeFD, &one, MemoryLayout<UInt64>.size)
    }

    // MARK: Loop thread

    /// Everything that has been left, in one lock. After `isStopping` nothing more comes.
    func take() -> Contents {
        state.withLock { state in
            guard !state.contents.isEmpty else { return Contents() }
            if state.contents.isStopping { state.isClosed = true }
            var taken = Contents()
            swap(&taken, &state.contents)
            return taken
        }
    }

    /// Says that the loop is about to wait.
    ///
    /// - Returns: false when there is work after all; then it must not wait.
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
        // Nothing to read is as good: the bell is silent.
        _ = read(wakeFD, &count, MemoryLayout<UInt64>.size)
    }

    /// The loop's last word.
    func announceEnd() {
        let (outlets, waiting) = state.withLock { state in
            state.hasEnded = true
            defer {
                state.outlets = []
                state.waitingForEnd = []
            }
            return (state.outlets, state.waitingForEnd)
        }
        for entry in outlets { entry.channel?.close() }
        for continuation in waiting { continuation.resume() }
    }
}
