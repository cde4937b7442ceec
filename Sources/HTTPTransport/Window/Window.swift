import Concurrency
import Synchronization

/// How many requests may be in flight to one hub, and who goes first; shared by the hub's lanes.
///
/// Begins at 1 and grows by one for each answer up to the limit, so it at most doubles with every round. A cold start
/// with all requests at once would cost a name lookup, a thread and a TLS handshake for each.
///
/// Lanes that wait at the same time get places by their weights; a lane that does not wait leaves its share to the
/// others. Within a lane callers are served in order of arrival.
public final class Window: Sendable {
    private let limit: Int
    private let weights: [Int]
    private let shares: SlotShares?
    private let member: Int
    private let state: Mutex<WindowState>

    /// - Parameters:
    ///   - limit: the most requests in flight; less than 1 counts as 1.
    ///   - weights: one for each lane, at least 1. Default: one lane.
    ///   - shares: the slots that several windows share. Default: every place has a slot.
    ///   - member: which of the windows in `shares` this one is.
    public init(limit: Int, weights: [Int] = [1], shares: SlotShares? = nil, member: Int = 0) {
        self.limit = max(1, limit)
        self.weights = weights.map { max(1, $0) }
        self.shares = shares
        self.member = member
        state = Mutex(WindowState(lanes: max(1, weights.count)))
    }

    /// Places taken and not yet released.
    public var inFlight: Int { state.withLock { $0.inFlight } }

    /// Places there are now: 1 to the limit.
    public var size: Int { state.withLock { $0.size } }

    /// Callers in line.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Takes places; waits, behind earlier callers of the same lane, until there are enough.
    ///
    /// - Parameters:
    ///   - upTo: the most places wanted.
    ///   - atLeast: the fewest wanted. Counts as at most the window's size now, so that the wait can end.
    ///   - lane: which of the weights counts. Default: the first.
    /// - Returns: places taken, to be returned with `release`. 0, and nothing to release, when the task was cancelled
    ///   while it waited, it was turned away, or `upTo` is less than 1.
    public func take(upTo: Int, atLeast: Int = 1, lane: Int = 0) async -> Int {
        guard upTo > 0 else { return 0 }
        let wish = WindowState.Wish(upTo: upTo, atLeast: atLeast)
        if let places = state.withLock({ $0.waiting == 0 ? grant(wish, lane, &$0) : nil }) { return places }
        return await WaiterQueue.wait(for: wish, whenCancelled: 0) { waiter in
            // Places may have been released since the first look.
            change { $0.lines[lane].append(waiter) }
            return nil
        } remove: { id in
            remove(id, lane)
        }
    }

    /// Returns the places of requests that have ended.
    ///
    /// - Parameters:
    ///   - places: the number of those requests.
    ///   - answered: how many of them were answered; the window grows by that.
    public func release(_ places: Int, answered: Int) {
        change { state in
            leave(places, &state)
            state.size = min(limit, state.size + max(0, answered))
        }
    }

    /// Returns places that no request used: what the rate allowed for them is still allowed.
    public func release(unused places: Int) {
        change { state in
            leave(places, &state)
            state.allowance = state.allowance.map { $0 + places }
        }
    }

    /// Begins anew at 1: nothing gets through, and the next try must cost one request, not a whole window.
    public func shrink() { state.withLock { $0.size = 1 } }

    /// Turns every caller in line away: the hub takes nothing for some time.
    public func turnAway() {
        let waiting = state.withLock { state in
            shares?.rest(member)
            return state.lines.indices.flatMap { state.lines[$0].popAll() }
        }
        for waiter in waiting { waiter.resume(returning: 0) }
    }

    // MARK: A rate

    /// Whether places also need permission (`allow`) because the hub has a rate.
    public func limit(_ isLimited: Bool) {
        change { state in
            guard (state.allowance != nil) != isLimited else { return }
            state.allowance = isLimited ? 0 : nil
        }
    }

    /// Lets `count` more requests leave.
    public func allow(_ count: Int) {
        change { state in state.allowance = state.allowance.map { $0 + count } }
    }

    /// Takes back permissions that no caller waits for.
    public func reclaim() -> Int {
        state.withLock { state in
            guard state.waiting == 0, let left = state.allowance else { return 0 }
            state.allowance = 0
            return left
        }
    }

    /// Returns when a caller waits for permission. One task at a time asks; a single continuation, so no `WaiterQueue`.
    ///
    /// - Returns: false once `endOfRate` was called.
    public func isStarved() async -> Bool {
        await withCheckedContinuation { continuation in
            let now: Bool? = state.withLock { state in
                if state.hasEnded { return false }
                if state.isStarved { return true }
                state.rateWaiter = continuation
                return nil
            }
            if let now { continuation.resume(returning: now) }
        }
    }

    /// No task asks for permissions any more.
    public func endOfRate() {
        let rateWaiter = state.withLock { state in
            state.hasEnded = true
            defer { state.rateWaiter = nil }
            return state.rateWaiter
        }
        rateWaiter?.resume(returning: false)
    }

    // MARK: -

    /// Changes something, and then serves those who can be served now.
    private func change(_ body: (inout WindowState) -> Void) {
        let (served, rateWaiter) = state.withLock { state in
            body(&state)
            let served = serve(&state)
            guard state.isStarved else { return (served, nil as CheckedContinuation<Bool, Never>?) }
            defer { state.rateWaiter = nil }
            return (served, state.rateWaiter)
        }
        for (waiter, places) in served { waiter.resume(returning: places) }
        rateWaiter?.resume(returning: true)
    }

    private func serve(_ state: inout WindowState) -> [(WindowState.Line.Waiter, Int)] {
        var served: [(WindowState.Line.Waiter, Int)] = []
        while let lane = state.next, let wish = state.lines[lane].first, let places = grant(wish, lane, &state),
            let waiter = state.lines[lane].popFirst()
        {
            served.append((waiter, places))
        }
        if state.waiting == 0 { shares?.rest(member) }
        return served
    }

    /// Places for one caller, or nil when there are too few yet.
    private func grant(_ wish: WindowState.Wish, _ lane: Int, _ state: inout WindowState) -> Int? {
        var free = state.size - state.inFlight
        var least = min(wish.atLeast, wish.upTo, state.size)
        if let allowance = state.allowance {
            free = min(free, allowance)
            least = 1  // a rate is slow: what it allows leaves at once
        }
        if let shares {
            let own = max(0, shares.guaranteed(member) - (state.inFlight - state.borrowed))
            let more = shares.borrow(min(wish.upTo, free) - own, by: member)
            if own + more < free {
                // Other windows have the rest of the slots: what is free soon is a part of what this one has.
                least = min(least, max(1, (state.inFlight + own + more) / 4))
            }
            free = min(free, own + more)
            guard free > 0, free >= least else {
                shares.release(more, by: member)
                return nil
            }
            state.borrowed += more
        }
        guard free > 0, free >= least else { return nil }
        let places = min(wish.upTo, free)
        state.inFlight += places
        state.allowance = state.allowance.map { $0 - places }
        state.charge(lane, Double(places) / Double(weights[lane]))
        return places
    }

    private func leave(_ places: Int, _ state: inout WindowState) {
        state.inFlight = max(0, state.inFlight - places)
        let lent = min(state.borrowed, places)
        state.borrowed -= lent
        shares?.release(lent, by: member)
    }

    private func remove(_ id: WindowState.Line.ID, _ lane: Int) -> WindowState.Line.Waiter? {
        var removed: WindowState.Line.Waiter?
        change { removed = $0.lines[lane].remove(id) }  // the caller behind it may want less
        return removed
    }
}
