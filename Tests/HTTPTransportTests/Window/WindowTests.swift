import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct WindowTests {
    @Test func itBeginsWithOneAndGrowsToFourTimesPerRound() async {
        let window = Window(limit: 20)
        var rounds: [Int] = []
        for _ in 0..<6 {
            let places = await window.take(upTo: 100)
            rounds.append(places)
            window.release(places, answered: places)
        }
        #expect(rounds == [1, 4, 16, 20, 20, 20])
        #expect(window.size == 20)
        #expect(window.inFlight == 0)
    }

    @Test func withoutAnswersItDoesNotGrow() async {
        let window = Window(limit: 20)
        for _ in 0..<3 {
            let places = await window.take(upTo: 100)
            #expect(places == 1)
            window.release(places, answered: 0)
        }
        #expect(window.size == 1)
    }

    @Test func noMoreIsInFlightThanTheWindowAllows() async {
        let window = Window(limit: 5)
        while window.size < 5 {
            let places = await window.take(upTo: 5)
            window.release(places, answered: places)
        }
        let most = Events<Int>()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let places = await window.take(upTo: 3)
                    most.add(window.inFlight)
                    await Task.yield()
                    window.release(places, answered: places)
                }
            }
        }
        #expect(most.all.allSatisfy { $0 <= 5 })
        #expect(most.count == 50)
        #expect(window.inFlight == 0)
    }

    @Test func aCallerThatWantsManyWaitsUntilThereAreEnough() async {
        let window = await fullGrown(4)
        #expect(await window.take(upTo: 4) == 4)
        let waiter = Task { await window.take(upTo: 4, atLeast: 3) }
        await waiting(1, at: window)
        window.release(1, answered: 1)
        window.release(1, answered: 1)
        #expect(window.waiting == 1)
        window.release(1, answered: 1)
        #expect(await waiter.value == 3)
        #expect(window.inFlight == 4)
    }

    @Test func noCallerWaitsForMoreThanTheWindowHas() async {
        let window = Window(limit: 10)
        #expect(await window.take(upTo: 10, atLeast: 10) == 1)
        window.release(1, answered: 0)
        #expect(await window.take(upTo: 0) == 0)
        #expect(window.inFlight == 0)
    }

    @Test func placesGoToCallersInOrderOfArrival() async {
        let window = await fullGrown(1)
        #expect(await window.take(upTo: 1) == 1)
        let order = Events<Int>()
        var tasks: [Task<Void, Never>] = []
        for number in 1...3 {
            tasks.append(
                Task {
                    let places = await window.take(upTo: 1)
                    order.add(number)
                    window.release(places, answered: places)
                })
            await waiting(number, at: window)
        }
        window.release(1, answered: 1)
        #expect(await order.wait(for: 3) == [1, 2, 3])
        for task in tasks { await task.value }
        #expect(window.inFlight == 0)
    }

    @Test func aCancelledWaiterTakesNothingAndLetsOthersPass() async {
        let window = await fullGrown(2)
        #expect(await window.take(upTo: 1) == 1)
        let greedy = Task { await window.take(upTo: 2, atLeast: 2) }
        await waiting(1, at: window)
        let modest = Task { await window.take(upTo: 1) }
        await waiting(2, at: window)
        greedy.cancel()
        #expect(await greedy.value == 0)
        #expect(await modest.value == 1)
        #expect(window.inFlight == 2)
        #expect(window.waiting == 0)
    }

    private func fullGrown(_ limit: Int) async -> Window {
        let window = Window(limit: limit)
        let places = await window.take(upTo: 1)
        window.release(places, answered: limit)
        return window
    }

    private func waiting(_ count: Int, at window: Window) async {
        while window.waiting < count { await Task.yield() }
    }

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
                        window.release(places, answered: places)
                    })
            }
        }
        while window.waiting < 600 { await Task.yield() }
        window.release(1, answered: 1)
        for task in tasks { await task.value }
        let first = served.all.prefix(210)
        #expect(abs(first.count { $0 == 0 } - 160) <= 3)
        #expect(abs(first.count { $0 == 1 } - 40) <= 3)
        #expect(abs(first.count { $0 == 2 } - 10) <= 3)
    }

    @Test func aLaneThatDoesNotWaitLeavesItsShareToOthers() async {
        let window = Window(limit: 8, weights: [16, 1])
        var rounds = 0
        for _ in 0..<100 {
            let places = await window.take(upTo: 8, lane: 1)
            rounds += places
            window.release(places, answered: places)
        }
        #expect(rounds > 700)
        #expect(await window.take(upTo: 8, lane: 1) == 8)
        // And it saves nothing up: a caller of that lane goes next, but only once.
        let urgent = Task { await window.take(upTo: 1, lane: 0) }
        while window.waiting < 1 { await Task.yield() }
        let bulk = Task { await window.take(upTo: 1, lane: 1) }
        while window.waiting < 2 { await Task.yield() }
        window.release(1, answered: 1)
        #expect(await urgent.value == 1)
        window.release(1, answered: 1)
        #expect(await bulk.value == 1)
    }

    @Test func aCallerThatIsTurnedAwayGetsNoPlace() async {
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
        window.release(0, answered: 100)
        window.limit(true)
        let waiter = Task { await window.places(upTo: 10, atLeast: 5) }
        #expect(await window.isStarved())
        window.allow(3)
        let places = await waiter.value
        #expect(places.count == 3)
        #expect(window.reclaim() == 0)
        #expect(places.leaveNow(2) == 2)
        places.giveBack()
        #expect(window.reclaim() == 1, "what did not leave is still allowed")
        window.allow(2)
        window.release(2, answered: 2)
        #expect(await window.take(upTo: 10) == 2)
        let last = Task { await window.take(upTo: 10) }
        while window.waiting < 1 { await Task.yield() }
        window.limit(false)
        #expect(await last.value == 10, "without a rate no permission is needed")
        async let isStarved = window.isStarved()
        window.endOfRate()
        #expect(await isStarved == false)
    }
}
