import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(1))) struct WindowTests {
    @Test func itBeginsWithOneAndAtMostDoublesPerRound() async {
        let window = Window(limit: 20)
        var rounds: [Int] = []
        for _ in 0..<6 {
            let places = await window.take(upTo: 100)
            rounds.append(places)
            window.giveBack(places, answered: places)
        }
        #expect(rounds == [1, 2, 4, 8, 16, 20])
        #expect(window.size == 20)
        #expect(window.inFlight == 0)
    }

    @Test func withoutAnswersItDoesNotGrow() async {
        let window = Window(limit: 20)
        for _ in 0..<3 {
            let places = await window.take(upTo: 100)
            #expect(places == 1)
            window.giveBack(places, answered: 0)
        }
        #expect(window.size == 1)
    }

    @Test func noMoreIsInFlightThanTheWindowAllows() async {
        let window = Window(limit: 5)
        while window.size < 5 {
            let places = await window.take(upTo: 5)
            window.giveBack(places, answered: places)
        }
        let most = Events<Int>()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let places = await window.take(upTo: 3)
                    most.add(window.inFlight)
                    await Task.yield()
                    window.giveBack(places, answered: places)
                }
            }
        }
        #expect(most.all.allSatisfy { $0 <= 5 })
        #expect(most.count == 50)
        #expect(window.inFlight == 0)
    }

    @Test func whoWantsManyWaitsUntilTheyAreThere() async {
        let window = await fullGrown(4)
        #expect(await window.take(upTo: 4) == 4)
        let waiter = Task { await window.take(upTo: 4, atLeast: 3) }
        await waiting(1, at: window)
        window.giveBack(1, answered: 1)
        window.giveBack(1, answered: 1)
        #expect(window.waiting == 1)
        window.giveBack(1, answered: 1)
        #expect(await waiter.value == 3)
        #expect(window.inFlight == 4)
    }

    @Test func nobodyWaitsForMoreThanThereIs() async {
        let window = Window(limit: 10)
        #expect(await window.take(upTo: 10, atLeast: 10) == 1)
        window.giveBack(1, answered: 0)
        #expect(await window.take(upTo: 0) == 0)
        #expect(window.inFlight == 0)
    }

    @Test func placesGoToThoseWhoCameFirst() async {
        let window = await fullGrown(1)
        #expect(await window.take(upTo: 1) == 1)
        let order = Events<Int>()
        var tasks: [Task<Void, Never>] = []
        for number in 1...3 {
            tasks.append(
                Task {
                    let places = await window.take(upTo: 1)
                    order.add(number)
                    window.giveBack(places, answered: places)
                })
            await waiting(number, at: window)
        }
        window.giveBack(1, answered: 1)
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
        window.giveBack(places, answered: limit)
        return window
    }

    private func waiting(_ count: Int, at window: Window) async {
        while window.waiting < count { await Task.yield() }
    }
}
