import Synchronization

/// What happened: the journal of sends and the inbox of every device, under one lock, so that a send found in the
/// journal is already in the inboxes it reached.
final class Journal: Sendable {
    private struct State {
        /// In order of their numbers, without gaps between the first and the last.
        var entries: [JournalEntry] = []
        /// How many of `entries` are dropped already; they are moved out in big steps.
        var dropped = 0
        var lastNumber = 0
        var total = JournalCount()
        /// The hubs there are, and no others: a name out of a path must not make it grow.
        var byHub: [String: JournalCount] = [:]
        var inboxes: Inboxes
        /// The handles that have an inbox, the one that got one first in front; how many of them have lost it again.
        var handles: [InboxKey] = []
        var forgottenHandles = 0
        var waiting: [Int: Waiter] = [:]
        var lastWaiter = 0
    }

    private struct Waiter {
        let hub: String?
        let taken: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// What arrived last, for those who look on.
    let feed = PushFeed()

    private let state: Mutex<State>
    private let hubs: [String]
    private let keptEntries: Int
    private let keptBodies: KeptBodies
    private let keptHandles: Int

    /// - Parameters:
    ///   - keptEntries: the oldest beyond these are forgotten, but stay counted. At least 1.
    ///   - keptShown: pushes kept for every device and handle, the newest ones. At least 1.
    ///   - keptPushes: pushes in all inboxes together. At least 1.
    ///   - keptHandles: handles that have an inbox. At least 1.
    init(
        hubs: [String], keptEntries: Int, keptBodies: KeptBodies, keptShown: Int, keptPushes: Int = .max,
        keptHandles: Int
    ) {
        self.hubs = hubs
        state = Mutex(
            State(byHub: Self.zero(hubs), inboxes: Inboxes(keptPerOwner: keptShown, kept: keptPushes)))
        self.keptEntries = max(1, keptEntries)
        self.keptBodies = keptBodies
        self.keptHandles = max(1, keptHandles)
    }

    /// Gives the send its number, puts what it showed into the inboxes and writes it down, all at once.
    func record(_ entry: JournalEntry, _ pushes: [Push] = []) {
        let resumed = state.withLock { state in
            state.lastNumber += 1
            var entry = entry
            entry.number = state.lastNumber
            entry.reached = pushes.count
            for push in pushes {
                var shown = push.shown
                shown.number = entry.number
                for inbox in push.inboxes { keep(shown, in: inbox, &state) }
            }
            state.total.add(entry)
            state.byHub[entry.hub]?.add(entry)
            append(entry, to: &state)
            feed.note(entry.number, entry.hub, pushes)
            return entry.taken ? ready(&state) : []
        }
        feed.ring()
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
    func inbox(of owner: InboxKey) -> [ReceivedPush] {
        state.withLock { $0.inboxes[owner] }
    }

    /// The handles of the hub that have an inbox, in alphabetical order.
    func handles(hub: String) -> [String] {
        state.withLock { state in
            state.handles.dropFirst(state.forgottenHandles).compactMap { key in
                if key.hub == hub, case .handle(let handle) = key.owner { handle } else { nil }
            }
        }.sorted()
    }

    /// Forgets entries, counts and inboxes. Numbers go on where they were.
    func clear() {
        state.withLock { state in
            state.entries = []
            state.dropped = 0
            state.total = JournalCount()
            state.byHub = Self.zero(hubs)
            state.inboxes.clear()
            state.handles = []
            state.forgottenHandles = 0
            feed.forget(nil)
        }
    }

    /// Newest first.
    func newestInbox(of owner: InboxKey, limit: Int) -> [ReceivedPush] {
        state.withLock { $0.inboxes.newest(of: owner, limit: limit) }
    }

    func inboxCount(of owner: InboxKey) -> Int { state.withLock { $0.inboxes.count(of: owner) } }

    /// Empties one inbox; nil: every inbox. Journal and counts stay.
    func clearInbox(_ owner: InboxKey?) {
        state.withLock { state in
            if let owner {
                // A handle keeps its place among those that have an inbox.
                state.inboxes.empty(owner)
            } else {
                state.inboxes.clear()
                state.handles = []
                state.forgottenHandles = 0
            }
            feed.forget(owner)
        }
    }

    /// The newest entries, newest first.
    func newest(_ limit: Int, hub: String?) -> [JournalEntry] {
        state.withLock { state in
            // Bounded also where a hub had none of the last hundred thousand.
            let kept = state.entries[state.dropped...].suffix(10_000).reversed()
            return Array(kept.lazy.filter { hub == nil || $0.hub == hub }.prefix(limit))
        }
    }

    /// Sends a second that arrived at or after `elapsed`, in seconds since the start, until `now`.
    func rate(since elapsed: Double, until now: Double, hub: String?) -> Double {
        state.withLock { state in
            guard now > elapsed else { return 0 }
            var low = state.dropped
            var high = state.entries.count
            while low < high {
                let middle = low + (high - low) / 2
                if state.entries[middle].elapsed >= elapsed { high = middle } else { low = middle + 1 }
            }
            let part = state.entries[low...]
            let count = hub == nil ? part.count : part.suffix(100_000).count { $0.hub == hub }
            return Double(count) / (now - elapsed)
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

    private func keep(_ push: ReceivedPush, in owner: InboxKey, _ state: inout State) {
        if case .handle = owner.owner, !state.inboxes.has(owner) { makeRoom(for: owner, &state) }
        state.inboxes.keep(push, in: owner)
    }

    /// Anybody can make up handles: beyond the limit the oldest one loses its inbox.
    private func makeRoom(for handle: InboxKey, _ state: inout State) {
        state.handles.append(handle)
        if state.handles.count - state.forgottenHandles > keptHandles {
            state.inboxes.forget(state.handles[state.forgottenHandles])
            state.forgottenHandles += 1
        }
        if state.forgottenHandles > max(1_024, keptHandles / 4) {
            state.handles.removeFirst(state.forgottenHandles)
            state.forgottenHandles = 0
        }
    }
}
