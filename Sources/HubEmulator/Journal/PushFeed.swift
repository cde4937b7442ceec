import Concurrency
import Synchronization

/// The newest pushes of all inboxes, and a way to wait for more.
///
/// Nothing is queued for a reader: each remembers its position and asks for the rest, so a slow reader costs no memory.
final class PushFeed: Sendable {
    private struct State {
        /// In order; the newest `keptPushes`, behind `dropped` older ones.
        var pushes: [InboxPush] = []
        var dropped = 0
        var lastOrder = 0
        /// The number of the last send recorded.
        var lastNumber = 0
        /// Pushes of sends up to this number may have been dropped.
        var lastDroppedNumber = 0
        /// How often pushes were removed on request.
        var clearings = 0
        var active: [String: RecentOrder<InboxKey>] = [:]
        /// Oldest first; the newest `keptPresses`.
        var presses: [ButtonPress] = []
        var lastPress = 0
        var waiting = WaiterQueue<Void, Void>()
    }

    /// Pushes that can be listed over all inboxes.
    static let keptPushes = 10_000
    /// Presses of buttons that can be listed.
    static let keptPresses = 1_000

    /// Inboxes of a hub whose last activity is known for certain.
    private let keptInboxes: Int
    private let state = Mutex(State())

    init(keptInboxes: Int = .max) { self.keptInboxes = keptInboxes }

    /// Records a numbered send and its pushes. The caller calls `wakeWaiters` afterwards, when it holds no lock.
    func record(_ number: Int, _ hub: String, _ pushes: [Push]) {
        state.withLock { state in
            state.lastNumber = number
            for push in pushes { record(push, number, hub, &state) }
        }
    }

    private func record(_ push: Push, _ number: Int, _ hub: String, _ state: inout State) {
        let devices = push.inboxes.filter { if case .device = $0.owner { true } else { false } }
        // A handle without a device is listed as a device of its own.
        for inbox in devices.isEmpty ? push.inboxes : devices {
            state.lastOrder += 1
            var received = push.shown
            received.number = number
            var entry = InboxPush(order: state.lastOrder, hub: hub, handle: received.handle, push: received)
            if case .device(let id) = inbox.owner { entry.device = id }
            state.pushes.append(entry)
            state.active[hub, default: RecentOrder(limit: keptInboxes)].note(inbox, state.lastOrder)
        }
        while state.pushes.count - state.dropped > Self.keptPushes {
            state.lastDroppedNumber = state.pushes[state.dropped].push.number
            state.dropped += 1
        }
        if state.dropped > Self.keptPushes {
            state.pushes.removeFirst(state.dropped)
            state.dropped = 0
        }
    }

    /// Numbers a press, and wakes those who wait.
    func record(_ press: ButtonPress) -> ButtonPress {
        let recorded = state.withLock { state in
            state.lastPress += 1
            var press = press
            press.press = state.lastPress
            state.presses.append(press)
            if state.presses.count > Self.keptPresses { state.presses.removeFirst() }
            return press
        }
        wakeWaiters()
        return recorded
    }

    /// Presses with a greater number, oldest first.
    func presses(after number: Int) -> [ButtonPress] { state.withLock { $0.presses.filter { $0.press > number } } }

    /// The number of the last press.
    var lastPress: Int { state.withLock { $0.lastPress } }

    /// Resumes all waiting tasks.
    func wakeWaiters() {
        for waiter in state.withLock({ $0.waiting.popAll() }) { waiter.resume(returning: ()) }
    }

    /// The number of the last send recorded, and the order of the last push.
    var last: (number: Int, order: Int) { state.withLock { ($0.lastNumber, $0.lastOrder) } }

    /// How often an inbox, or all of them, were cleared.
    var clearings: Int { state.withLock { $0.clearings } }

    /// Pushes of sends up to this number may be missing in `pushes(numbers:)`.
    var lastDroppedNumber: Int { state.withLock { $0.lastDroppedNumber } }

    /// Pushes with a greater order, oldest first.
    func pushes(after order: Int) -> [InboxPush] {
        state.withLock { Array(Self.suffix($0, where: { $0.order > order })) }
    }

    /// Pushes of the sends with these numbers, oldest first.
    func pushes(numbers: ClosedRange<Int>) -> [InboxPush] {
        state.withLock { state in
            Self.suffix(state, where: { $0.push.number >= numbers.lowerBound })
                .prefix { $0.push.number <= numbers.upperBound }.map { $0 }
        }
    }

    /// Binary search: the pushes from the first one for which the condition holds; it must hold for all later ones too.
    private static func suffix(_ state: State, where isWanted: (InboxPush) -> Bool) -> ArraySlice<InboxPush> {
        let kept = state.pushes[state.dropped...]
        var low = kept.startIndex
        var high = kept.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if isWanted(kept[middle]) { high = middle } else { low = middle + 1 }
        }
        return kept[low...]
    }

    /// Inboxes that got pushes, the latest first.
    func active(hub: String, limit: Int, where isWanted: (InboxKey) -> Bool = { _ in true })
        -> [(stamp: Int, key: InboxKey)]
    {
        // Copied first: the condition may ask a hub, which has its own lock.
        let active = state.withLock { $0.active[hub] ?? RecentOrder() }
        return active.newest(limit, where: isWanted)
    }

    /// The order of the last push of each inbox, without those that never got one.
    func stamps(of keys: [InboxKey]) -> [InboxKey: Int] {
        state.withLock { state in
            keys.reduce(into: [:]) { $0[$1] = state.active[$1.hub]?.stamp(of: $1) }
        }
    }

    func isActive(_ key: InboxKey) -> Bool { state.withLock { $0.active[key.hub]?.stamp(of: key) != nil } }

    func activeCount(hub: String) -> Int { state.withLock { $0.active[hub]?.count ?? 0 } }

    /// The inbox is gone. Its pushes stay listed until newer ones replace them.
    func forgetActivity(of key: InboxKey) { state.withLock { $0.active[key.hub]?.forget(key) } }

    /// Removes the pushes of one inbox, or of all (nil).
    func forget(_ key: InboxKey?) {
        state.withLock { state in
            state.clearings += 1
            if let key {
                state.pushes.removeFirst(state.dropped)
                state.dropped = 0
                state.pushes.removeAll { $0.key == key }
                state.active[key.hub]?.forget(key)
            } else {
                state.pushes = []
                state.dropped = 0
                state.active = [:]
                state.presses = []
            }
        }
        wakeWaiters()
    }

    /// Returns when a later send or a later press is recorded, an inbox is cleared, the time is over, or the task is cancelled.
    ///
    /// - Parameter press: the last press known; default: any.
    func wait(after number: Int, press: Int = .max, atMost time: Duration) async {
        await withTimeLimit(time) { await self.wait(after: number, press: press) }
    }

    private func wait(after number: Int, press: Int) async {
        await WaiterQueue.wait(whenCancelled: ()) { waiter in
            state.withLock { state in
                if state.lastNumber > number || state.lastPress > press { return () }
                state.waiting.append(waiter)
                return nil
            }
        } remove: { id in
            state.withLock { $0.waiting.remove(id) }
        }
    }
}
