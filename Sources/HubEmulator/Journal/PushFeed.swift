import Synchronization

/// What arrived last, over all inboxes, and a bell for whoever waits for more.
///
/// Nothing is queued for a listener: each remembers how far it got and comes back for the rest, so a slow one costs
/// no memory.
final class PushFeed: Sendable {
    private struct State {
        /// In order; the newest `keptArrivals`.
        var arrivals: [InboxPush] = []
        var dropped = 0
        var lastOrder = 0
        /// Of the sends noted here, the number of the last one.
        var lastNumber = 0
        /// Sends up to this number may have lost arrivals.
        var forgottenNumber = 0
        var active: [String: RecentOrder<InboxKey>] = [:]
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
    }

    /// Arrivals that can be listed over all inboxes.
    static let keptArrivals = 10_000

    private let state = Mutex(State())

    /// Notes a send that has its number, and its pushes. `ring` is called afterwards, when no lock is held.
    func note(_ number: Int, _ hub: String, _ pushes: [Push]) {
        state.withLock { state in
            state.lastNumber = number
            for push in pushes { Self.note(push, number, hub, &state) }
        }
    }

    private static func note(_ push: Push, _ number: Int, _ hub: String, _ state: inout State) {
        let devices = push.inboxes.filter { if case .device = $0.owner { true } else { false } }
        // A handle no device has is shown as a device of its own.
        for inbox in devices.isEmpty ? push.inboxes : devices {
            state.lastOrder += 1
            var shown = push.shown
            shown.number = number
            var arrival = InboxPush(order: state.lastOrder, hub: hub, handle: shown.handle, push: shown)
            if case .device(let id) = inbox.owner { arrival.device = id }
            state.arrivals.append(arrival)
            state.active[hub, default: RecentOrder()].note(inbox, state.lastOrder)
        }
        while state.arrivals.count - state.dropped > keptArrivals {
            state.forgottenNumber = state.arrivals[state.dropped].push.number
            state.dropped += 1
        }
        if state.dropped > keptArrivals {
            state.arrivals.removeFirst(state.dropped)
            state.dropped = 0
        }
    }

    /// Wakes whoever waits.
    func ring() {
        let waiting = state.withLock { state in
            let waiting = Array(state.waiting.values)
            if !waiting.isEmpty { state.waiting = [:] }
            return waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    /// The number of the last send noted, and the order of the last arrival.
    var last: (number: Int, order: Int) { state.withLock { ($0.lastNumber, $0.lastOrder) } }

    /// Arrivals of sends numbered up to this may be missing in what `arrivals` gives.
    var forgottenNumber: Int { state.withLock { $0.forgottenNumber } }

    /// Arrivals after that one, oldest first.
    func arrivals(after order: Int) -> [InboxPush] {
        state.withLock { Array(Self.part($0, where: { $0.order > order })) }
    }

    /// Arrivals of the sends with these numbers, oldest first.
    func arrivals(numbers: ClosedRange<Int>) -> [InboxPush] {
        state.withLock { state in
            Self.part(state, where: { $0.push.number >= numbers.lowerBound })
                .prefix { $0.push.number <= numbers.upperBound }.map { $0 }
        }
    }

    /// Those from the first on that fulfils a condition which then holds for all that follow.
    private static func part(_ state: State, where isWanted: (InboxPush) -> Bool) -> ArraySlice<InboxPush> {
        let kept = state.arrivals[state.dropped...]
        var low = kept.startIndex
        var high = kept.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if isWanted(kept[middle]) { high = middle } else { low = middle + 1 }
        }
        return kept[low...]
    }

    /// Whose inbox got something, latest first.
    func active(hub: String, limit: Int, where isWanted: (InboxKey) -> Bool = { _ in true })
        -> [(stamp: Int, key: InboxKey)]
    {
        // Copied out first: the condition may ask a hub, which has a lock of its own.
        let active = state.withLock { $0.active[hub] ?? RecentOrder() }
        return active.newest(limit, where: isWanted)
    }

    /// When each of them was active last, as an order; those that never were are left out.
    func stamps(of keys: [InboxKey]) -> [InboxKey: Int] {
        state.withLock { state in
            keys.reduce(into: [:]) { $0[$1] = state.active[$1.hub]?.stamp(of: $1) }
        }
    }

    func isActive(_ key: InboxKey) -> Bool { state.withLock { $0.active[key.hub]?.stamp(of: key) != nil } }

    func activeCount(hub: String) -> Int { state.withLock { $0.active[hub]?.count ?? 0 } }

    /// Forgets the arrivals of one inbox; nil: of all.
    func forget(_ key: InboxKey?) {
        state.withLock { state in
            if let key {
                state.arrivals.removeFirst(state.dropped)
                state.dropped = 0
                state.arrivals.removeAll { $0.key == key }
                state.active[key.hub]?.forget(key)
            } else {
                state.arrivals = []
                state.dropped = 0
                state.active = [:]
            }
        }
        ring()
    }

    /// Returns when a send after that one was noted, something was cleared, the time is over, or the task is
    /// cancelled.
    func wait(after number: Int, atMost time: Duration) async {
        await withTaskGroup { group in
            group.addTask { await self.wait(after: number) }
            group.addTask { try? await Task.sleep(for: time) }  // ends early only by cancellation, which is as well
            await group.next()
            group.cancelAll()
        }
    }

    private func wait(after number: Int) async {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    // The handler below found nobody to wake when the task was cancelled already.
                    if Task.isCancelled || state.lastNumber > number { return true }
                    state.waiting[waiter] = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume()
        }
    }
}
