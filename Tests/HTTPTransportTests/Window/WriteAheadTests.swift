import PushModel
import Testing

@testable import HTTPTransport

/// Places that are taken before they are free.
@Suite(.timeLimit(.minutes(10))) struct WriteAheadTests {
    /// A window of ten places, grown, that may be written ahead by so many.
    private func window(_ ahead: Int, shares: SlotShares? = nil) -> Window {
        let window = Window(limit: 10, shares: shares)
        window.release(0, answered: 10)
        window.writeAhead(ahead)
        return window
    }

    @Test func requestsLeaveAsOthersAreAnswered() async {
        let window = window(4)
        let first = await window.places(upTo: 10)
        #expect(first.leaveNow(10) == 10)
        let second = await window.places(upTo: 10)
        #expect(second.count == 4)
        #expect(second.leaveNow(4) == 0)
        #expect(window.inFlight == 10 && window.taken == 14)
        window.release(3, answered: 3)
        #expect(second.leaveNow(4) == 3)
        #expect(window.inFlight == 10 && window.taken == 11)
        let last = Task { await second.leave(1) }
        window.release(10, answered: 10)
        #expect(await last.value == 1)
        #expect(window.inFlight == 1 && window.taken == 1)
    }

    @Test func noMoreIsTakenAheadThanSaid() async {
        let window = window(4)
        let first = await window.places(upTo: 8)
        let second = await window.places(upTo: 100)
        #expect(second.count == 6, "two are free, four ahead")
        let third = Task { await window.places(upTo: 100) }
        while window.waiting < 1 { await Task.yield() }
        first.giveBack()
        #expect(await third.value.count == 8)
        await third.value.giveBack()
        #expect(window.taken == 6)
        second.giveBack()
        #expect(window.taken == 0)
    }

    @Test func whatIsWrittenFirstLeavesFirst() async {
        let window = window(4)
        let first = await window.places(upTo: 10)
        #expect(first.leaveNow(10) == 10)
        let second = await window.places(upTo: 2)
        let third = await window.places(upTo: 2)
        let left = Events<Int>()
        let leaving = Task { left.add(await third.leave(2)) }
        while window.departing < 1 { await Task.yield() }
        #expect(second.leaveNow(2) == 0)
        window.release(1, answered: 1)
        #expect(await left.wait(for: 1) == [1])
        await leaving.value
        window.release(3, answered: 3)
        #expect(second.leaveNow(2) == 2)
        #expect(third.leaveNow(1) == 1)
    }

    @Test func callersAreTurnedAwayAndGiveBackTheirPlaces() async {
        let window = window(2)
        let first = await window.places(upTo: 10)
        #expect(first.leaveNow(10) == 10)
        let second = await window.places(upTo: 2)
        let leaving = Task { await second.leave(2) }
        while window.departing < 1 { await Task.yield() }
        window.turnAway()
        #expect(await leaving.value == 0)
        second.giveBack()
        #expect(window.taken == 10)
        let third = await window.places(upTo: 1)
        let cancelled = Task { await third.leave(1) }
        while window.departing < 1 { await Task.yield() }
        cancelled.cancel()
        #expect(await cancelled.value == 0)
        #expect(window.departing == 0)
    }

    @Test func aRateIsNotWrittenAhead() async {
        let window = window(4)
        window.limit(true)
        window.allow(12)
        #expect(await window.places(upTo: 100).count == 10)
    }

    @Test func placesAheadNeedNoSlots() async {
        let shares = SlotShares(slots: 8, windows: [10, 10])
        let window = window(2, shares: shares)
        let places = await window.places(upTo: 100)
        // Half of the slots are guaranteed, two for each window, and the other half is lent.
        #expect(places.count == 8)
        #expect(places.leaveNow(100) == 6)
        window.release(2, answered: 2)
        #expect(places.leaveNow(100) == 2)
        window.release(6, answered: 6)
        #expect(window.taken == 0)
        #expect(shares.borrow(4, by: 1) == 4)
    }

    /// Whatever the order of events, no more is in flight than the window has, and everything comes back.
    @Test(arguments: 1...100) func countsAgree(seed: UInt64) async {
        var random = SeededRandom(seed: seed)
        let shares = Bool.random(using: &random) ? SlotShares(slots: 12, windows: [10, 10]) : nil
        let window = window(Int.random(in: 0...4, using: &random), shares: shares)
        var held: [Places] = []
        for _ in 0..<200 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                // Does not wait: something is free, or may be ahead.
                if window.taken < window.size, shares == nil {
                    held.append(await window.places(upTo: Int.random(in: 1...6, using: &random)))
                }
            case 2, 3: _ = held.randomElement(using: &random)?.leaveNow(Int.random(in: 1...2, using: &random))
            case 4 where !held.isEmpty:
                held.remove(at: Int.random(in: held.indices, using: &random)).giveBack()
            default:
                let answered = Int.random(in: 0...window.inFlight, using: &random)
                window.release(answered, answered: answered)
            }
            #expect(window.inFlight <= window.size)
            #expect(window.taken <= window.size + 4)
        }
        held = []
        window.release(window.inFlight, answered: 0)
        #expect(window.taken == 0 && window.inFlight == 0)
    }
}
