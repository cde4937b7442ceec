import Concurrency

/// Between taking places and leaving: the intents of some posts are written while their places are not free yet, so that the
/// next requests leave as soon as answers come. Without it each place of a slow hub stood empty while its next intent was
/// written: 0.86 of what the hub took after 50 ms (docs/performance.md).
extension Window {
    /// As `take`, for requests that leave later, by `leave`.
    ///
    /// - Returns: places; those that the window did not have are ahead: their requests leave as others are answered.
    func keep(upTo: Int, atLeast: Int, lane: Int) async -> Int {
        await take(WindowState.Wish(upTo: upTo, atLeast: atLeast, isKept: true), lane: lane)
    }

    /// How many places may be taken that are not free yet, all callers of `places` together. Default: none. None while the
    /// hub has a rate.
    public func writeAhead(_ most: Int) { change { $0.mostAhead = max(0, most) } }

    /// Lets requests leave whose places are kept and free.
    ///
    /// - Returns: how many; 0 also while other callers wait for that.
    func leaveNow(upTo: Int) -> Int {
        state.withLock { state in state.departures.isEmpty ? state.leave(upTo) : 0 }
    }

    /// As `leaveNow`; waits, behind earlier callers, until one may leave.
    ///
    /// - Returns: 0: the task was cancelled, or the caller was turned away.
    func leave(upTo: Int) async -> Int {
        await WaiterQueue.wait(for: upTo, whenCancelled: 0) { waiter in
            change { $0.departures.append(waiter) }
            return nil
        } remove: { id in
            state.withLock { $0.departures.remove(id) }
        }
    }

    /// Returns kept places whose requests do not leave: what the rate allowed for them is still allowed.
    func release(kept places: Int) {
        change { state in
            let ahead = min(state.ahead, places)
            state.kept -= places
            state.ahead -= ahead
            state.taken -= ahead
            vacate(places - ahead, &state)
            state.allowance = state.allowance.map { $0 + places }
        }
    }

    /// Gives free places to requests that are ahead.
    ///
    /// - Returns: those who may let requests leave by that.
    func departures(_ state: inout WindowState) -> [(WaiterQueue<Int, Int>.Waiter, Int)] {
        let free = min(state.ahead, state.free)
        if free > 0 {
            let slots = slots(for: free, state)
            state.borrowed += slots.borrowed
            state.ahead -= slots.count
        }
        var departing: [(WaiterQueue<Int, Int>.Waiter, Int)] = []
        while let wanted = state.departures.first, state.mayLeave >= state.leastDeparture(of: wanted),
            let waiter = state.departures.popFirst()
        {
            departing.append((waiter, state.leave(waiter.request)))
        }
        return departing
    }

    /// Slots of the transport for free places.
    struct Slots {
        let count: Int
        let borrowed: Int
    }

    /// Takes as many slots as there are, where windows share them; those borrowed are to be released.
    func slots(for places: Int, _ state: WindowState) -> Slots {
        guard let shares else { return Slots(count: places, borrowed: 0) }
        let own = max(0, shares.guaranteed(member) - (state.taken - state.ahead - state.borrowed))
        let borrowed = shares.borrow(places - own, by: member)
        return Slots(count: min(places, own + borrowed), borrowed: borrowed)
    }

    func vacate(_ places: Int, _ state: inout WindowState) {
        state.taken = max(0, state.taken - places)
        let lent = min(state.borrowed, places)
        state.borrowed -= lent
        shares?.release(lent, by: member)
    }
}

extension WindowState {
    /// A few leave at a time, where more answers will come: to wake a task for each cost a tenth of the worker's CPU.
    fileprivate func leastDeparture(of wanted: Int) -> Int {
        max(1, min(wanted, size / 64, taken - kept))
    }

    /// - Returns: how many of these requests leave.
    fileprivate mutating func leave(_ requests: Int) -> Int {
        let leaving = min(requests, mayLeave)
        kept -= leaving
        return leaving
    }
}
