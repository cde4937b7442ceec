import Testing

@testable import HTTPTransport

/// Who gets the places of a window when several want them.
@Suite(.timeLimit(.minutes(1))) struct WindowShareTests {
    @Test func lanesThatWaitGetPlacesByTheirWeights() async {
        let window = Window(limit: 1, weights: [16, 4, 1])
        #expect(await window.take(upTo: 1, lane: 2) == 1)
        let served = Events<Int>()
        var tasks: [Task<Void, Never>] = []
        for lane in 0..<3 {
            for _ in 0..<200 {
                tasks.append(
                    Task {
                        let places = await window.take(upTo: 1, lane: lane)
                        served.add(lane)
                        window.giveBack(places, answered: places)
                    })
            }
        }
        while window.waiting < 600 { await Task.yield() }
        window.giveBack(1, answered: 1)
        for task in tasks { await task.value }
        let first = served.all.prefix(210)
        #expect(abs(first.count { $0 == 0 } - 160) <= 3)
        #expect(abs(first.count { $0 == 1 } - 40) <= 3)
        #expect(abs(first.count { $0 == 2 } - 10) <= 3)
    }

    @Test func aLaneThatDoesNotWaitGivesItsShareAway() async {
        let window = Window(limit: 8, weights: [16, 1])
        var rounds = 0
        for _ in 0..<100 {
            let places = await window.take(upTo: 8, lane: 1)
            rounds += places
            window.giveBack(places, answered: places)
        }
        #expect(rounds > 700)
        #expect(await window.take(upTo: 8, lane: 1) == 8)
        // And saves nothing up: who comes now goes next, but not for all that time.
        let urgent = Task { await window.take(upTo: 1, lane: 0) }
        while window.waiting < 1 { await Task.yield() }
        let bulk = Task { await window.take(upTo: 1, lane: 1) }
        while window.waiting < 2 { await Task.yield() }
        window.giveBack(1, answered: 1)
        #expect(await urgent.value == 1)
        window.giveBack(1, answered: 1)
        #expect(await bulk.value == 1)
    }

    @Test func whoIsTurnedAwayGetsNothingAndOwesNothing() async {
        let window = Window(limit: 1)
        #expect(await window.take(upTo: 1) == 1)
        let waiter = Task { await window.take(upTo: 1) }
        while window.waiting < 1 { await Task.yield() }
        window.turnAway()
        #expect(await waiter.value == 0)
        #expect(window.inFlight == 1)
    }

    @Test func aRateLetsNoMoreThroughThanItAllows() async {
        let window = Window(limit: 100)
        window.giveBack(0, answered: 100)
        window.limit(true)
        let waiter = Task { await window.take(upTo: 10, atLeast: 5) }
        #expect(await window.isStarved())
        window.allow(3)
        #expect(await waiter.value == 3)
        #expect(window.reclaim() == 0)
        window.putBack(1)
        #expect(window.reclaim() == 1, "what did not leave is still allowed")
        window.allow(2)
        window.giveBack(2, answered: 2)
        #expect(await window.take(upTo: 10) == 2)
        let last = Task { await window.take(upTo: 10) }
        while window.waiting < 1 { await Task.yield() }
        window.limit(false)
        #expect(await last.value == 10, "without a rate nobody asks")
        async let hunger = window.isStarved()
        window.endOfRate()
        #expect(await hunger == false)
    }

    @Test func aWindowThatIsFullGrownTakesNothingFromTheOthers() async {
        let shares = SlotShares(slots: 16, windows: [64, 64])
        let hanging = Window(limit: 64, shares: shares, member: 0)
        let other = Window(limit: 64, shares: shares, member: 1)
        hanging.giveBack(0, answered: 64)
        other.giveBack(0, answered: 64)
        var taken = 0
        while taken < 12 { taken += await hanging.take(upTo: 64) }  // its own 4 and the 8 nobody else wants
        #expect(taken == 12)
        let more = Task { await hanging.take(upTo: 64) }
        while hanging.waiting < 1 { await Task.yield() }
        // All it holds hangs, and the other one has what is guaranteed.
        for _ in 0..<10 {
            let places = await other.take(upTo: 64)
            #expect(places == 4)
            other.giveBack(places, answered: places)
        }
        more.cancel()
        #expect(await more.value == 0)
    }

    @Test func whatWasLentIsGivenUpWhenOthersNeedIt() async {
        let shares = SlotShares(slots: 16, windows: [64, 64])
        let first = Window(limit: 64, shares: shares, member: 0)
        let second = Window(limit: 64, shares: shares, member: 1)
        first.giveBack(0, answered: 64)
        second.giveBack(0, answered: 64)
        #expect(await first.take(upTo: 64) == 12)
        #expect(await second.take(upTo: 64) == 4)
        let wanting = Task { await second.take(upTo: 64) }
        while second.waiting < 1 { await Task.yield() }
        // The first one's requests end, and it wants more at once: half of what is lent stays with the other.
        first.giveBack(12, answered: 12)
        #expect(await first.take(upTo: 64) == 8)
        second.giveBack(1, answered: 1)
        #expect(await wanting.value == 5, "its own place and the four that were lent to the first")
    }

    @Test func withSlotsForAllNobodyIsLimited() async {
        let shares = SlotShares(slots: 128, windows: [64, 64])
        let window = Window(limit: 64, shares: shares, member: 1)
        window.giveBack(0, answered: 64)
        #expect(await window.take(upTo: 100) == 64)
    }

    @Test(arguments: [1, 2, 3, 16, 100])
    func thereAreNeverMoreInFlightThanSlots(slots: Int) async {
        let limits = [64, 1, 20]
        let shares = SlotShares(slots: slots, windows: limits)
        let windows = limits.indices.map { Window(limit: limits[$0], shares: shares, member: $0) }
        for window in windows { window.giveBack(0, answered: 64) }
        let most = Events<Int>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask {
                    let window = windows[number % 3]
                    let places = await window.take(upTo: number % 7 + 1, atLeast: number % 3)
                    most.add(windows.reduce(0) { $0 + $1.inFlight })
                    await Task.yield()
                    window.giveBack(places, answered: places)
                }
            }
        }
        #expect(most.count == 300)
        // Every hub may always have one.
        #expect(most.all.allSatisfy { $0 <= max(slots, windows.count) })
        #expect(windows.allSatisfy { $0.inFlight == 0 })
    }
}
