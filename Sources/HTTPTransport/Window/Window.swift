import Concurrency
import Synchronization

/// How many requests may be in flight to one hub, and who goes first; shared by the hub's lanes.
///
/// Begins at 1 and grows by three for each answer up to the limit, so with every round it is at most four times as large. A
/// cold start with all requests at once would cost a name lookup, a thread and a TLS handshake for each. With two times
/// instead of four, 512 requests after 100 ms each took half a second longer to begin, and the most handshakes at once
/// were as many (docs/performance.md).
///
/// Lanes that wait at the same time get places by their weights; a lane that does not wait leaves its share to the
/// others. Within a lane callers are served in order of arrival.
///
/// The first lane may have places of its own beyond the size. They keep no other lane from its share: what they hold does not
/// count. So a request of that lane leaves although all places are taken, by requests whose answers take long.
public final class Window: Sendable {
    private let limit: Int
    private let weights: [Int]
    let shares: SlotShares?
    let member: Int
    let state: Mutex<WindowState>

    /// - Parameters:
    ///   - limit: the most requests in flight; less than 1 counts as 1.
    ///   - weights: one for each lane, at least 1. Default: one lane.
    ///   - extra: places beyond the limit that only the first lane may take. Default: none.
    ///   - shares: the slots that several windows share. Default: every place has a slot.
    ///   - member: which of the windows in `shares` this one is.
    public init(limit: Int, weights: [Int] = [1], extra: Int = 0, shares: SlotShares? = nil, member: Int = 0) {
        self.limit = max(1, limit)
        self.weights = weights.map { max(1, $0) }
        self.shares = shares
        self.member = member
        state = Mutex(WindowState(lanes: max(1, weights.count), extra: max(0, extra)))
    }

    /// Places taken and not yet released.
    public var taken: Int { state.withLock { $0.taken } }

    /// Of those, places whose requests have left.
    public var inFlight: Int { state.withLock { $0.taken - $0.kept } }

    /// Places there are now: 1 to the limit.
    public var size: Int { state.withLock { $0.size } }

    /// Callers in line.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Callers with places that are not free yet.
    var departing: Int { state.withLock { state in state.pools.reduce(0) { $0 + $1.departures.count } } }

    /// Takes places; waits, behind earlier callers of the same lane, until there are enough.
    ///
    /// - Parameters:
    ///   - upTo: the most places wanted.
    ///   - atLeast: the fewest wanted. Counts as at most the window's size now, so that the wait can end.
    ///   - lane: which of the weights counts. Default: the first.
    /// - Returns: places taken, to be returned with `release`. 0, and nothing to release, when the task was cancelled
    ///   while it waited, it was turned away, or `upTo` is less than 1.
    public func take(upTo: Int, atLeast: Int = 1, lane: Int = 0) async -> Int {
        await take(WindowState.Wish(upTo: upTo, atLeast: atLeast), lane: lane)
    }

    func take(_ wish: WindowState.Wish, lane: Int) async -> Int {
        guard wish.upTo > 0 else { return 0 }
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
    ///   - answered: how many of them were answered; the window grows by three times that.
    ///   - lane: whose they are. Default: the first.
    public func release(_ places: Int, answered: Int, lane: Int = 0) {
        change { state in
            vacate(places, state.pool(of: lane), &state)
            state.size = min(limit, state.size + 3 * max(0, answered))
        }
    }

    /// Begins anew at 1: nothing gets through, and the next try must cost one request, not a whole window.
    public func shrink() { state.withLock { $0.size = 1 } }

    /// Turns away every caller that waits for places, or until its places are free: the hub takes nothing for a while.
    public func turnAway() {
        let waiting = state.withLock { state in
            shares?.rest(member)
            return state.pools.indices.flatMap { state.pools[$0].departures.popAll() }.map { $0.resume }
                + state.lines.indices.flatMap { state.lines[$0].popAll() }.map { $0.resume }
        }
        for resume in waiting { resume(0) }
    }

    // MARK: A rate

    /// Whether places also need permission (`allow`) because the hub has a rate.
    public func limit(_ isLimited: Bool) {
        // Called twice a second for every hub: mostly nothing changes, and nobody has to be served.
        guard state.withLock({ ($0.allowance != nil) != isLimited }) else { return }
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
    func change(_ body: (inout WindowState) -> Void) {
        let (departing, served, rateWaiter) = state.withLock { state in
            body(&state)
            let departing = departures(&state)
            let served = serve(&state)
            guard state.isStarved else { return (departing, served, nil as CheckedContinuation<Bool, Never>?) }
            defer { state.rateWaiter = nil }
            return (departing, served, state.rateWaiter)
        }
        for (waiter, requests) in departing { waiter.resume(returning: requests) }
        for (waiter, places) in served { waiter.resume(returning: places) }
        rateWaiter?.resume(returning: true)
    }

    private func serve(_ state: inout WindowState) -> [(WindowState.Line.Waiter, Int)] {
        var served: [(WindowState.Line.Waiter, Int)] = []
        while let lane = state.next, let wish = state.lines[lane].first {
            if let places = grant(wish, lane, &state), let waiter = state.lines[lane].popFirst() {
                served.append((waiter, places))
            } else if let wish = state.lines[0].first, let places = grantExtra(wish, &state),
                let waiter = state.lines[0].popFirst()
            {
                served.append((waiter, places))
            } else {
                break
            }
        }
        if state.waiting == 0 { shares?.rest(member) }
        return served
    }

    /// Places for one caller, or nil when there are too few yet.
    private func grant(_ wish: WindowState.Wish, _ lane: Int, _ state: inout WindowState) -> Int? {
        let pool = state.pool(of: lane)
        var least = min(wish.atLeast, wish.upTo, state.size)
        var ahead = wish.isKept ? max(0, state.mostAhead - state.ahead) : 0
        var most = wish.upTo
        if let allowance = state.allowance {
            most = min(most, allowance)
            least = 1  // a rate is slow: what it allows leaves at once
            ahead = 0
        }
        let free = free(most, pool, state)
        if free.isShort {
            // Other windows have the rest of the slots: what is free soon is a part of what this one has.
            least = min(least, max(1, (state.used + free.count) / 4))
        }
        let places = min(wish.upTo, free.count + ahead)
        guard places > 0, places >= least else {
            giveBack(free)
            return pool == 0 ? grantExtra(wish, &state) : nil
        }
        hold(places, wish, free, pool, &state)
        state.charge(lane, Double(places) / Double(weights[lane]))
        return places
    }

    /// Places beyond the size, for the first lane when it is not its turn, or there are too few others.
    private func grantExtra(_ wish: WindowState.Wish, _ state: inout WindowState) -> Int? {
        let most = min(wish.upTo, state.allowance ?? .max)
        let extra = takeExtra(most, state)
        guard extra > 0 else { return nil }
        hold(extra, wish, Free(extra: extra), 0, &state)
        return extra
    }

    private func hold(
        _ places: Int, _ wish: WindowState.Wish, _ free: Free, _ pool: Int, _ state: inout WindowState
    ) {
        state.pools[pool].taken += places
        state.pools[pool].ahead += places
        use(free, pool, &state)
        if wish.isKept { state.pools[pool].kept += places }
        state.allowance = state.allowance.map { $0 - places }
    }

    private func remove(_ id: WindowState.Line.ID, _ lane: Int) -> WindowState.Line.Waiter? {
        var removed: WindowState.Line.Waiter?
        change { removed = $0.lines[lane].remove(id) }  // the caller behind it may want less
        return removed
    }
}
