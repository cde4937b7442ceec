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
    /// - Returns: how many; 0 also while other callers of its pool wait for that.
    func leaveNow(upTo: Int, lane: Int) -> Int {
        state.withLock { state in
            let pool = state.pool(of: lane)
            return state.pools[pool].departures.isEmpty ? state.pools[pool].leave(upTo) : 0
        }
    }

    /// As `leaveNow`; waits, behind earlier callers, until one may leave.
    ///
    /// - Returns: 0: the task was cancelled, or the caller was turned away.
    func leave(upTo: Int, lane: Int) async -> Int {
        await WaiterQueue.wait(for: upTo, whenCancelled: 0) { waiter in
            change { $0.pools[$0.pool(of: lane)].departures.append(waiter) }
            return nil
        } remove: { id in
            state.withLock { $0.pools[$0.pool(of: lane)].departures.remove(id) }
        }
    }

    /// Returns kept places whose requests do not leave: what the rate allowed for them is still allowed.
    func release(kept places: Int, lane: Int) {
        change { state in
            let pool = state.pool(of: lane)
            let ahead = min(state.pools[pool].ahead, places)
            state.pools[pool].kept -= places
            state.pools[pool].ahead -= ahead
            state.pools[pool].taken -= ahead
            vacate(places - ahead, pool, &state)
            state.allowance = state.allowance.map { $0 + places }
        }
    }

    /// Gives free places to requests that are ahead, those of the first lane first.
    ///
    /// - Returns: those who may let requests leave by that.
    func departures(_ state: inout WindowState) -> [(WaiterQueue<Int, Int>.Waiter, Int)] {
        var departing: [(WaiterQueue<Int, Int>.Waiter, Int)] = []
        for pool in state.pools.indices {
            if state.pools[pool].ahead > 0 { use(free(state.pools[pool].ahead, pool, state), pool, &state) }
            while let wanted = state.pools[pool].departures.first,
                state.pools[pool].mayLeave >= state.pools[pool].leastDeparture(of: wanted, size: state.size),
                let waiter = state.pools[pool].departures.popFirst()
            {
                departing.append((waiter, state.pools[pool].leave(waiter.request)))
            }
        }
        return departing
    }

    /// Places that are free, with their slots of the transport: to be used or given back.
    struct Free {
        /// Beyond the size.
        var extra = 0
        var own = 0
        /// Their slots are lent.
        var borrowed = 0
        /// There were more places than slots.
        var isShort = false

        var count: Int { extra + own + borrowed }
    }

    /// Finds free places for a pool, and takes as many slots as there are, where windows share them.
    func free(_ most: Int, _ pool: Int, _ state: WindowState) -> Free {
        var free = Free()
        if pool == 0 { free.extra = takeExtra(most, state) }
        let places = max(0, min(most - free.extra, state.free))
        guard let shares else {
            free.own = places
            return free
        }
        free.own = min(places, max(0, shares.guaranteed(member) - (state.used - state.borrowed)))
        free.borrowed = shares.borrow(places - free.own, by: member)
        free.isShort = free.own + free.borrowed < places
        return free
    }

    /// Free places beyond the size.
    func takeExtra(_ most: Int, _ state: WindowState) -> Int {
        let places = max(0, min(most, state.freeExtra))
        return shares?.takeExtra(places) ?? places
    }

    func giveBack(_ free: Free) {
        shares?.release(free.borrowed, by: member)
        shares?.releaseExtra(free.extra)
    }

    /// Gives free places to requests that are ahead.
    func use(_ free: Free, _ pool: Int, _ state: inout WindowState) {
        state.pools[pool].ahead -= free.count
        state.extra += free.extra
        state.borrowed += free.borrowed
    }

    /// Of the first lane, places beyond the size are given up last: they do not keep others waiting.
    func vacate(_ places: Int, _ pool: Int, _ state: inout WindowState) {
        let places = min(places, state.pools[pool].taken)
        let extra = pool == 0 ? max(0, places - (state.pools[0].used - state.extra)) : 0
        state.pools[pool].taken -= places
        state.extra -= extra
        shares?.releaseExtra(extra)
        let lent = min(state.borrowed, places - extra)
        state.borrowed -= lent
        shares?.release(lent, by: member)
    }
}

extension WindowState.Pool {
    /// A few leave at a time, where more answers will come: to wake a task for each cost a tenth of the worker's CPU.
    fileprivate func leastDeparture(of wanted: Int, size: Int) -> Int {
        max(1, min(wanted, size / 64, taken - kept))
    }

    /// - Returns: how many of these requests leave.
    fileprivate mutating func leave(_ requests: Int) -> Int {
        let leaving = min(requests, mayLeave)
        kept -= leaving
        return leaving
    }
}
