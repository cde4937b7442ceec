import PushModel
import Testing

@testable import HTTPTransport

/// Places beyond the size, for the first lane: urgent messages wait for no bulk post.
@Suite(.timeLimit(.minutes(10))) struct ExtraPlacesTests {
    private func window(_ limit: Int, extra: Int, shares: SlotShares? = nil) -> Window {
        let window = Window(limit: limit, weights: [16, 4, 1], extra: extra, shares: shares)
        window.release(0, answered: limit)
        return window
    }

    @Test(arguments: [false, true]) func aFullWindowKeepsTheFirstLaneFromNothing(sharesSlots: Bool) async {
        let shares = sharesSlots ? SlotShares(slots: 8, windows: [8], extra: 2) : nil
        let window = window(8, extra: 2, shares: shares)
        #expect(await window.take(upTo: 8, lane: 2) == 8)
        let waiting = Task { await window.take(upTo: 8, lane: 2) }
        while window.waiting < 1 { await Task.yield() }
        for _ in 1...3 {
            #expect(
                await window.take(upTo: 8, atLeast: 4, lane: 0) == 2, "two at once, and again when they are answered")
            #expect(window.inFlight == 10)
            window.release(2, answered: 2, lane: 0)
        }
        #expect(window.waiting == 1)
        window.release(1, answered: 1, lane: 2)
        #expect(await waiting.value == 1)
        window.release(8, answered: 8, lane: 2)
        #expect(window.taken == 0)
    }

    @Test func atTheBeginningOneRequestOfTheFirstLaneGoesBesideTheFirstOfAnother() async {
        let window = Window(limit: 64, weights: [16, 4, 1], extra: 4)
        #expect(await window.take(upTo: 8, lane: 2) == 1)
        #expect(await window.take(upTo: 8, lane: 0) == 1)
        #expect(window.inFlight == 2)
    }

    /// The places of its own are not at the cost of the others' share.
    @Test func lanesThatWaitGetPlacesByTheirWeightsAllTheSame() async {
        let window = window(4, extra: 1)
        #expect(await window.take(upTo: 5, lane: 0) == 5)
        let served = Events<Int>()
        var tasks: [Task<Void, Never>] = []
        for lane in 0..<3 {
            for _ in 0..<200 {
                tasks.append(
                    Task {
                        let places = await window.take(upTo: 1, lane: lane)
                        served.add(lane)
                        await Task.yield()
                        window.release(places, answered: places, lane: lane)
                    })
            }
        }
        while window.waiting < 600 { await Task.yield() }
        window.release(5, answered: 5, lane: 0)
        for task in tasks { await task.value }
        // Of four places by weight one lane has 16 of 21 shares; one place more is its own.
        let others = served.all.prefix(210).count { $0 > 0 }
        #expect(others >= 25, "\(others) of 210")
        #expect(window.taken == 0)
    }

    /// What waits until places are free leaves by the lane's own places first.
    @Test func whatIsWrittenAheadWaitsForNoOtherLane() async {
        let window = window(8, extra: 1)
        window.writeAhead(4)
        let bulk = await window.places(upTo: 12, lane: 2)
        #expect(bulk.count == 12 && bulk.leaveNow(12) == 8)
        let waiting = Task { await bulk.leave(4) }
        while window.departing < 1 { await Task.yield() }
        let urgent = await window.places(upTo: 1, lane: 0)
        #expect(urgent.count == 1 && urgent.leaveNow(1) == 1)
        window.release(1, answered: 1, lane: 0)
        window.release(8, answered: 8, lane: 2)
        #expect(await waiting.value == 4)
    }

    /// Hubs share the slots for it, as few have urgent messages at the same time.
    @Test func withoutASlotItWaitsAsOthersDo() async {
        let shares = SlotShares(slots: 16, windows: [8, 8], extra: 1)
        let hanging = window(8, extra: 1, shares: shares)
        let other = Window(limit: 8, weights: [16, 4, 1], extra: 1, shares: shares, member: 1)
        other.release(0, answered: 8)
        #expect(await hanging.take(upTo: 9, lane: 0) == 9)
        #expect(await other.take(upTo: 8, lane: 2) == 8)
        let urgent = Task { await other.take(upTo: 1, lane: 0) }
        while other.waiting < 1 { await Task.yield() }
        other.release(1, answered: 1, lane: 2)
        #expect(await urgent.value == 1)
        other.release(1, answered: 1, lane: 0)
        hanging.release(9, answered: 9, lane: 0)
        #expect(shares.takeExtra(5) == 1)
    }

    @Test func aRateHoldsForTheFirstLaneToo() async {
        let window = window(8, extra: 2)
        window.limit(true)
        window.allow(3)
        #expect(await window.take(upTo: 8, lane: 0) == 3)
        let urgent = Task { await window.take(upTo: 8, lane: 0) }
        #expect(await window.isStarved())
        window.allow(1)
        #expect(await urgent.value == 1)
    }

    /// Whatever the order of events, no more is in flight than there are places, and everything comes back.
    @Test(arguments: 1...100) func countsAgree(seed: UInt64) async {
        var random = SeededRandom(seed: seed)
        let slots = Int.random(in: 2...12, using: &random)
        let shares = Bool.random(using: &random) ? SlotShares(slots: slots, windows: [10, 10], extra: 2) : nil
        let extra = Int.random(in: 0...3, using: &random)
        let window = window(10, extra: extra, shares: shares)
        let ahead = Int.random(in: 0...4, using: &random)
        window.writeAhead(ahead)
        var held: [(places: Places, lane: Int)] = []
        var flying = [0, 0]
        for _ in 0..<300 {
            switch Int.random(in: 0..<7, using: &random) {
            case 0, 1:
                // Who would have to wait gives up at once.
                let lane = Int.random(in: 0...1, using: &random)
                let most = Int.random(in: 1...6, using: &random)
                let task = Task { await window.places(upTo: most, lane: lane) }
                task.cancel()
                held.append((await task.value, lane))
            case 2, 3:
                guard let one = held.randomElement(using: &random) else { continue }
                flying[one.lane] += one.places.leaveNow(Int.random(in: 1...2, using: &random))
            case 4 where !held.isEmpty:
                held.remove(at: Int.random(in: held.indices, using: &random)).places.giveBack()
            case 5: if Int.random(in: 0..<10, using: &random) == 0 { window.shrink() }
            default:
                let lane = Int.random(in: 0...1, using: &random)
                let answered = Int.random(in: 0...flying[lane], using: &random)
                flying[lane] -= answered
                window.release(answered, answered: answered, lane: lane)
            }
            #expect(window.inFlight == flying[0] + flying[1])
            #expect(window.inFlight <= 10 + extra)
            #expect(flying[1] <= 10)
            #expect(window.taken <= 10 + extra + ahead)
        }
        held = []
        for lane in 0...1 { window.release(flying[lane], answered: 0, lane: lane) }
        #expect(window.taken == 0 && window.inFlight == 0)
        #expect(shares?.takeExtra(9) ?? 2 == 2)
        #expect(shares.map { $0.borrow(100, by: 1) + 2 * $0.guaranteed(1) } ?? slots == slots)
    }
}
