import Concurrency
import Synchronization

/// The journal of sends and the inboxes of all devices, under one lock: a send that is in the journal is also in the
/// inboxes it reached.
final class Journal: Sendable {
    private struct State {
        /// In the order of their numbers, without gaps.
        var entries: [JournalEntry] = []
        /// Entries at the front of `entries` that are dropped already; they are removed in large batches.
        var dropped = 0
        var lastNumber = 0
        var total = JournalCount()
        /// Configured hubs only: names from request paths must not make it grow.
        var byHub: [String: JournalCount] = [:]
        var inboxes: Inboxes
        /// Of the newest `keptRequests` entries, by number.
        var requests: [Int: SentRequest] = [:]
        /// Handles with an inbox, the oldest inbox first.
        var handles: [InboxKey] = []
        /// Handles at the front of `handles` that have lost their inbox again.
        var droppedHandles = 0
        /// `true` when enough sends have been taken, `false` when cancelled.
        var waiting = WaiterQueue<Awaited, Bool>()
    }

    /// What a task waits for: a number of sends taken by one hub, or by all.
    private struct Awaited {
        let hub: String?
        let taken: Int
    }

    /// Entries whose requests are kept with their headers: about 1 MB in all.
    static let keptRequests = 1_000

    /// The newest pushes, for event streams and waits.
    let feed: PushFeed

    private let state: Mutex<State>
    private let hubs: [String]
    private let keptEntries: Int
    private let keptBodies: KeptBodies
    private let keptHandles: Int

    /// - Parameters:
    ///   - keptEntries: older ones are dropped but stay in the counts. At least 1.
    ///   - keptPushesPerInbox: newest pushes kept for each device and handle. At least 1.
    ///   - keptPushes: pushes in all inboxes together. At least 1.
    ///   - keptHandles: handles with an inbox. At least 1.
    init(
        hubs: [String], keptEntries: Int, keptBodies: KeptBodies, keptPushesPerInbox: Int, keptPushes: Int = .max,
        keptHandles: Int
    ) {
        self.hubs = hubs
        feed = PushFeed(keptInboxes: keptPushes)
        state = Mutex(
            State(byHub: Self.zero(hubs), inboxes: Inboxes(keptPerOwner: keptPushesPerInbox, kept: keptPushes)))
        self.keptEntries = max(1, keptEntries)
        self.keptBodies = keptBodies
        self.keptHandles = max(1, keptHandles)
    }

    /// Numbers the send, stores its pushes in the inboxes and appends it to the journal, in one step.
    func record(_ entry: JournalEntry, _ pushes: [Push] = []) {
        let readyWaiters = state.withLock { state in
            state.lastNumber += 1
            var entry = entry
            entry.number = state.lastNumber
            entry.reached = pushes.count
            state.requests[entry.number] = entry.request
            state.requests[entry.number - Self.keptRequests] = nil
            entry.request = nil
            for push in pushes {
                var received = push.shown
                received.number = entry.number
                for inbox in push.inboxes { keep(received, in: inbox, &state) }
            }
            state.total.add(entry)
            state.byHub[entry.hub]?.add(entry)
            append(entry, to: &state)
            feed.record(entry.number, entry.hub, pushes)
            return entry.taken ? ready(&state) : []
        }
        feed.wakeWaiters()
        for waiter in readyWaiters { waiter.resume(returning: true) }
    }

    /// Entries with numbers above `number`, oldest first, at most `limit`.
    func entries(after number: Int, hub: String?, limit: Int) -> [JournalEntry] {
        state.withLock { state in
            guard state.dropped < state.entries.count else { return [] }
            let first = state.entries[state.dropped].number
            // Compare before subtracting: `number` comes from a client and may be `Int.min`.
            let skipped = number < first ? 0 : number - first + 1
            guard skipped < state.entries.count - state.dropped else { return [] }
            var entries: [JournalEntry] = []
            for entry in state.entries[(state.dropped + skipped)...] where hub == nil || entry.hub == hub {
                if entries.count >= limit { break }
                entries.append(entry)
            }
            return entries
        }
    }

    /// The entry with this number. nil: it is no longer kept, or does not exist yet.
    func entry(_ number: Int) -> JournalEntry? {
        guard number > 0, let entry = entries(after: number - 1, hub: nil, limit: 1).first else { return nil }
        return entry.number == number ? entry : nil
    }

    /// The request of an entry. nil: only those of the newest `keptRequests` entries are kept.
    func request(of number: Int) -> SentRequest? { state.withLock { $0.requests[number] } }

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
            state.handles.dropFirst(state.droppedHandles).compactMap { key in
                if key.hub == hub, case .handle(let handle) = key.owner { handle } else { nil }
            }
        }.sorted()
    }

    /// Clears entries, counts and inboxes. Numbers continue.
    func clear() {
        state.withLock { state in
            state.entries = []
            state.dropped = 0
            state.requests = [:]
            state.total = JournalCount()
            state.byHub = Self.zero(hubs)
            state.inboxes.clear()
            state.handles = []
            state.droppedHandles = 0
            feed.forget(nil)
        }
    }

    /// Newest first.
    func newestInbox(of owner: InboxKey, limit: Int) -> [ReceivedPush] {
        state.withLock { $0.inboxes.newest(of: owner, limit: limit) }
    }

    func inboxCount(of owner: InboxKey) -> Int { state.withLock { $0.inboxes.count(of: owner) } }

    /// Empties one inbox, or all (nil). Journal and counts stay.
    func clearInbox(_ owner: InboxKey?) {
        state.withLock { state in
            if let owner {
                // A handle keeps its place among those that have an inbox.
                state.inboxes.empty(owner)
            } else {
                state.inboxes.clear()
                state.handles = []
                state.droppedHandles = 0
            }
            feed.forget(owner)
        }
    }

    /// The newest entries, newest first.
    ///
    /// - Parameters:
    ///   - number: only entries with a greater one.
    ///   - isWanted: called with the journal locked.
    func newest(
        _ limit: Int, hub: String?, after number: Int = 0, where isWanted: (JournalEntry) -> Bool = { _ in true }
    ) -> [JournalEntry] {
        state.withLock { state in
            // Bounded also for a hub that has had no sends for a long time.
            let kept = state.entries[state.dropped...].suffix(10_000).reversed()
            return Array(
                kept.lazy.prefix { $0.number > number }.filter { hub == nil || $0.hub == hub }.filter(isWanted)
                    .prefix(limit))
        }
    }

    /// Sends per second between `elapsed` and `now`, in seconds since the start.
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
    /// - Throws: `CancellationError` when the task is cancelled first.
    func wait(taken: Int, hub: String?) async throws {
        let isReady = await WaiterQueue.wait(for: Awaited(hub: hub, taken: taken), whenCancelled: false) { waiter in
            state.withLock { state in
                if Self.isReady(waiter.request, state.total, state.byHub) { return true }
                state.waiting.append(waiter)
                return nil
            }
        } remove: { id in
            state.withLock { $0.waiting.remove(id) }
        }
        if !isReady { throw CancellationError() }
    }

    private static func zero(_ hubs: [String]) -> [String: JournalCount] {
        Dictionary(hubs.map { ($0, JournalCount()) }) { first, _ in first }
    }

    private static func isReady(_ awaited: Awaited, _ total: JournalCount, _ byHub: [String: JournalCount]) -> Bool {
        guard let hub = awaited.hub else { return total.taken >= awaited.taken }
        return (byHub[hub]?.taken ?? 0) >= awaited.taken
    }

    private func ready(_ state: inout State) -> [WaiterQueue<Awaited, Bool>.Waiter] {
        guard !state.waiting.isEmpty else { return [] }
        let (total, byHub) = (state.total, state.byHub)
        return state.waiting.popAll { Self.isReady($0, total, byHub) }
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
        // Moving the array once per `keptEntries / 4` sends is cheap; once per send is not.
        if state.dropped > max(1_024, keptEntries / 4) {
            state.entries.removeFirst(state.dropped)
            state.dropped = 0
        }
    }

    private func keep(_ push: ReceivedPush, in owner: InboxKey, _ state: inout State) {
        if case .handle = owner.owner, !state.inboxes.has(owner) { makeRoom(for: owner, &state) }
        state.inboxes.keep(push, in: owner)
    }

    /// Clients can invent any number of handles: beyond the limit the oldest inbox is dropped.
    private func makeRoom(for handle: InboxKey, _ state: inout State) {
        state.handles.append(handle)
        if state.handles.count - state.droppedHandles > keptHandles {
            let oldest = state.handles[state.droppedHandles]
            state.inboxes.forget(oldest)
            feed.forgetActivity(of: oldest)
            state.droppedHandles += 1
        }
        if state.droppedHandles > max(1_024, keptHandles / 4) {
            state.handles.removeFirst(state.droppedHandles)
            state.droppedHandles = 0
        }
    }
}
