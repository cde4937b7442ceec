import Synchronization

/// What happened: the journal of sends and the inbox of every device, under one lock, so that a send found in the
/// journal is already in the inboxes it reached.
final class Ledger: Sendable {
    private struct State {
        /// In order of their numbers, without gaps between the first and the last.
        var entries: [JournalEntry] = []
        /// How many of `entries` are dropped already; they are moved out in big steps.
        var dropped = 0
        var lastNumber = 0
        var total = JournalCount()
        /// The hubs there are, and no others: a name out of a path must not make it grow.
        var byHub: [String: JournalCount] = [:]
        var inboxes: [DeviceKey: [Shown]] = [:]
        var waiting: [Int: Waiter] = [:]
        var lastWaiter = 0
    }

    private struct Waiter {
        let hub: String?
        let taken: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private let state: Mutex<State>
    private let hubs: [String]
    private let keptEntries: Int
    private let keptBodies: KeptBodies
    private let keptShown: Int

    /// - Parameters:
    ///   - keptEntries: the oldest beyond these are forgotten, but stay counted. At least 1.
    ///   - keptShown: pushes kept for every device, the newest ones. At least 1.
    init(hubs: [String], keptEntries: Int, keptBodies: KeptBodies, keptShown: Int) {
        self.hubs = hubs
        state = Mutex(State(byHub: Self.zero(hubs)))
        self.keptEntries = max(1, keptEntries)
        self.keptBodies = keptBodies
        self.keptShown = max(1, keptShown)
    }

    /// Gives the send its number, puts what it showed into the inboxes and writes it down, all at once.
    func record(_ entry: JournalEntry, shown: [(device: DeviceKey, push: Shown)] = []) {
        let resumed = state.withLock { state in
            state.lastNumber += 1
            var entry = entry
            entry.number = state.lastNumber
            entry.reached = shown.count
            for (device, push) in shown {
                var push = push
                push.number = entry.number
                keep(push, in: &state.inboxes[device, default: []])
            }
            state.total.add(entry)
            state.byHub[entry.hub]?.add(entry)
            append(entry, to: &state)
            return entry.taken ? ready(&state) : []
        }
        for waiter in resumed { waiter.continuation.resume() }
    }

    /// Entries numbered above `number`, oldest first, at most `limit`.
    func entries(after number: Int, hub: String?, limit: Int) -> [JournalEntry] {
        state.withLock { state in
            guard state.dropped < state.entries.count else { return [] }
            let first = state.entries[state.dropped].number
            // Compared before it is subtracted: `number` is a stranger's and may be the smallest integer there is.
            let skipped = number < first ? 0 : number - first + 1
            guard skipped < state.entries.count - state.dropped else { return [] }
            var found: [JournalEntry] = []
            for entry in state.entries[(state.dropped + skipped)...] where hub == nil || entry.hub == hub {
                if found.count >= limit { break }
                found.append(entry)
            }
            return found
        }
    }

    func count(hub: String?) -> JournalCount {
        state.withLock { state in
            guard let hub else { return state.total }
            return state.byHub[hub] ?? JournalCount()
        }
    }

    /// Oldest first.
    func inbox(of device: DeviceKey) -> [Shown] {
        state.withLock { Array(($0.inboxes[device] ?? []).suffix(keptShown)) }
    }

    /// Forgets entries, counts and inboxes. Numbers go on where they were.
    func clear() {
        state.withLock { state in
            state.entries = []
            state.dropped = 0
            state.total = JournalCount()
            state.byHub = Self.zero(hubs)
            state.inboxes = [:]
        }
    }

    /// Returns as soon as the hub (nil: all hubs together) has taken `taken` sends.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled first.
    func wait(taken: Int, hub: String?) async throws {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let waiter = Waiter(hub: hub, taken: taken, continuation: continuation)
                let done: Result<Void, any Error>? = state.withLock { state in
                    // The handler below runs before us when the task was cancelled already: it found nobody to wake.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if isReady(waiter, state) { return .success(()) }
                    state.waiting[number] = waiter
                    return nil
                }
                if let done { continuation.resume(with: done) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiting.removeValue(forKey: number) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private static func zero(_ hubs: [String]) -> [String: JournalCount] {
        Dictionary(hubs.map { ($0, JournalCount()) }) { first, _ in first }
    }

    private func isReady(_ waiter: Waiter, _ state: State) -> Bool {
        guard let hub = waiter.hub else { return state.total.taken >= waiter.taken }
        return (state.byHub[hub]?.taken ?? 0) >= waiter.taken
    }

    private func ready(_ state: inout State) -> [Waiter] {
        guard !state.waiting.isEmpty else { return [] }
        let numbers = state.waiting.filter { isReady($0.value, state) }.keys
        return numbers.compactMap { state.waiting.removeValue(forKey: $0) }
    }

    private func append(_ entry: JournalEntry, to state: inout State) {
        var entry = entry
        if case .none = keptBodies { entry.body = nil }
        state.entries.append(entry)
        if case .last(let kept) = keptBodies {
            let tooOld = state.entries.count - 1 - kept
            if tooOld >= 0 { state.entries[tooOld].body = nil }
        }
        if state.entries.count - state.dropped > keptEntries {
            state.entries[state.dropped].body = nil
            state.dropped += 1
        }
        // Moving the array once per `keptEntries / 4` sends costs nothing that shows; once per send would.
        if state.dropped > max(1_024, keptEntries / 4) {
            state.entries.removeFirst(state.dropped)
            state.dropped = 0
        }
    }

    private func keep(_ push: Shown, in inbox: inout [Shown]) {
        inbox.append(push)
        if inbox.count > keptShown * 2 { inbox.removeFirst(inbox.count - keptShown) }
    }
}

/// One device of one hub.
struct DeviceKey: Hashable, Sendable {
    let hub: String
    let device: String
}
