import Synchronization

/// How many requests may be in flight to one hub, and who goes first; shared by the hub's lanes.
///
/// Begins at 1 and grows by one for each answer, so at most doubling with every round, up to the limit. A cold start
/// with everything at once would mean one name lookup, one thread and one TLS handshake per request.
///
/// Lanes that wait at the same time get places by their weights; a lane that does not wait leaves its share to the
/// others. Within a lane the order is that of coming.
public final class Window: Sendable {
    private let limit: Int
    private let weights: [Int]
    private let shares: SlotShares?
    private let member: Int
    private let state: Mutex<WindowState>

    /// - Parameters:
    ///   - limit: the most requests in flight; less than 1 counts as 1.
    ///   - weights: one for each lane, at least 1. Default: one lane.
    ///   - shares: the slots that several windows share. Default: there are always enough.
    ///   - member: which of the windows in `shares` this one is.
    public init(limit: Int, weights: [Int] = [1], shares: SlotShares? = nil, member: Int = 0) {
        self.limit = max(1, limit)
        self.weights = weights.map { max(1, $0) }
        self.shares = shares
        self.member = member
        state = Mutex(WindowState(lanes: max(1, weights.count)))
    }

    /// Places given out and not yet given back.
    public var inFlight: Int { state.withLock { $0.inFlight } }

    /// Places there are now: 1 to the limit.
    public var size: Int { state.withLock { $0.size } }

    /// Callers that stand in line.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Takes places; waits, behind those who came earlier in its lane, until there are enough.
    ///
    /// - Parameters:
    ///   - upTo: the most places wanted.
    ///   - atLeast: fewer are not worth having. Never more than the window has now, so it cannot wait for ever.
    ///   - lane: which of the weights counts. Default: the first.
    /// - Returns: places taken, to be given back with `giveBack` or `putBack`. 0, and nothing to give back, when the
    ///   task was cancelled while it waited, it was turned away, or `upTo` is less than 1.
    public func take(upTo: Int, atLeast: Int = 1, lane: Int = 0) async -> Int {
        guard upTo > 0 else { return 0 }
        let (id, places) = state.withLock { state -> (UInt64, Int?) in
            state.nextID += 1
            let wish = WindowState.Wish(upTo: upTo, atLeast: atLeast)
            return (state.nextID, state.waiting == 0 ? grant(wish, lane, &state) : nil)
        }
        if let places { return places }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let wish = WindowState.Wish(upTo: upTo, atLeast: atLeast)
                // Places may have come back since the first look.
                change { $0.lines[lane].append(WindowState.Waiter(id: id, wish: wish, continuation: continuation)) }
                // A cancellation that came before the waiter stood in line found nobody to wake.
                if Task.isCancelled { cancel(id, lane) }
            }
        } onCancel: {
            cancel(id, lane)
        }
    }

    /// Gives places back.
    ///
    /// - Parameters:
    ///   - places: as many as were taken for the requests that have ended.
    ///   - answered: how many of them were answered; the window grows by that.
    public func giveBack(_ places: Int, answered: Int) {
        change { state in
            leave(places, &state)
            state.size = min(limit, state.size + max(0, answered))
        }
    }

    /// Gives places back through which nothing left: what the rate allowed for them is still allowed.
    public func putBack(_ places: Int) {
        change { state in
            leave(places, &state)
            state.allowance = state.allowance.map { $0 + places }
        }
    }

    /// Begins anew at 1: nothing gets through, and the next try shall cost one request, not a whole window.
    public func shrink() { state.withLock { $0.size = 1 } }

    /// Sends everybody away who stands in line: the hub takes nothing for some time.
    public func turnAway() {
        let sent = state.withLock { state in
            defer { for lane in state.lines.indices { state.lines[lane].removeAll() } }
            shares?.rest(member)
            return state.lines.flatMap(\.self)
        }
        for waiter in sent { waiter.continuation.resume(returning: 0) }
    }

    // MARK: A rate

    /// Whether places also need permission (`allow`) because the hub has a rate.
    public func limit(_ isLimited: Bool) {
        change { state in
            guard (state.allowance != nil) != isLimited else { return }
            state.allowance = isLimited ? 0 : nil
        }
    }

    /// So many more requests may leave.
    public func allow(_ count: Int) {
        change { state in state.allowance = state.allowance.map { $0 + count } }
    }

    /// Takes back permissions nobody waits for.
    public func reclaim() -> Int {
        state.withLock { state in
            guard state.waiting == 0, let left = state.allowance else { return 0 }
            state.allowance = 0
            return left
        }
    }

    /// Returns when somebody waits for permission. One caller at a time.
    ///
    /// - Returns: false once `endOfRate` was called.
    public func isStarved() async -> Bool {
        await withCheckedContinuation { continuation in
            let now: Bool? = state.withLock { state in
                if state.hasEnded { return false }
                if state.isStarved { return true }
                state.hungry = continuation
                return nil
            }
            if let now { continuation.resume(returning: now) }
        }
    }

    /// Nobody asks for permissions any more.
    public func endOfRate() {
        let hungry = state.withLock { state in
            state.hasEnded = true
            defer { state.hungry = nil }
            return state.hungry
        }
        hungry?.resume(returning: false)
    }

    // MARK: -

    /// Changes something, and then serves those who can be served now.
    private func change(_ body: (inout WindowState) -> Void) {
        let (served, hungry) = state.withLock { state in
            body(&state)
            let served = serve(&state)
            guard state.isStarved else { return (served, nil as CheckedContinuation<Bool, Never>?) }
            defer { state.hungry = nil }
            return (served, state.hungry)
        }
        for (waiter, places) in served { waiter.continuation.resume(returning: places) }
        hungry?.resume(returning: true)
    }

    private func serve(_ state: inout WindowState) -> [(WindowState.Waiter, Int)] {
        var served: [(WindowState.Waiter, Int)] = []
        while let lane = state.next, let first = state.lines[lane].first, let places = grant(first.wish, lane, &state) {
            state.lines[lane].removeFirst()
            served.append((first, places))
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
            if own + more < free { least = 1 }  // others need the slots: more may not come for long
            free = min(free, own + more)
            guard free > 0, free >= least else {
                shares.giveBack(more, by: member)
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
        shares?.giveBack(lent, by: member)
    }

    private func cancel(_ id: UInt64, _ lane: Int) {
        var cancelled: WindowState.Waiter?
        change { state in  // it may have stood before somebody who wants less
            guard let index = state.lines[lane].firstIndex(where: { $0.id == id }) else { return }
            cancelled = state.lines[lane].remove(at: index)
        }
        cancelled?.continuation.resume(returning: 0)
    }
}
