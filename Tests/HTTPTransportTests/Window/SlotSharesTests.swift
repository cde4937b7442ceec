import PushModel
import Synchronization
import Testing

@testable import HTTPTransport

/// How windows share the slots of a transport.
@Suite(.timeLimit(.minutes(10))) struct SlotSharesTests {
    @Test func aFullWindowTakesNothingFromTheOthers() async {
        let shares = SlotShares(slots: 16, windows: [64, 64])
        let hanging = Window(limit: 64, shares: shares, member: 0)
        let other = Window(limit: 64, shares: shares, member: 1)
        hanging.release(0, answered: 64)
        other.release(0, answered: 64)
        var taken = 0
        while taken < 12 { taken += await hanging.take(upTo: 64) }  // its own 4 and the 8 that the other does not want
        #expect(taken == 12)
        let more = Task { await hanging.take(upTo: 64) }
        while hanging.waiting < 1 { await Task.yield() }
        // All its requests hang, and the other window still has its guaranteed slots.
        for _ in 0..<10 {
            let places = await other.take(upTo: 64)
            #expect(places == 4)
            other.release(places, answered: places)
        }
        more.cancel()
        #expect(await more.value == 0)
    }

    @Test func lentSlotsAreGivenUpWhenOthersNeedThem() async {
        let shares = SlotShares(slots: 16, windows: [64, 64])
        let first = Window(limit: 64, shares: shares, member: 0)
        let second = Window(limit: 64, shares: shares, member: 1)
        first.release(0, answered: 64)
        second.release(0, answered: 64)
        #expect(await first.take(upTo: 64) == 12)
        #expect(await second.take(upTo: 64) == 4)
        let more = Task { await second.take(upTo: 64) }
        while second.waiting < 1 { await Task.yield() }
        // The requests of the first window end, and it wants more at once: half of the lent slots stay with the other.
        first.release(12, answered: 12)
        #expect(await first.take(upTo: 64) == 8)
        second.release(1, answered: 1)
        #expect(await more.value == 5, "its own place and the four that were lent to the first")
    }

    @Test func withEnoughSlotsNoWindowIsLimited() async {
        let shares = SlotShares(slots: 128, windows: [64, 64])
        let window = Window(limit: 64, shares: shares, member: 1)
        window.release(0, answered: 64)
        #expect(await window.take(upTo: 100) == 64)
    }

    @Test(arguments: [1, 2, 3, 16, 100])
    func thereAreNeverMoreInFlightThanSlots(slots: Int) async {
        let limits = [64, 1, 20]
        let shares = SlotShares(slots: slots, windows: limits)
        let windows = limits.indices.map { Window(limit: limits[$0], shares: shares, member: $0) }
        for window in windows { window.release(0, answered: 64) }
        // One counter: a sum over the windows would count a slot twice that moves from one to another meanwhile.
        final class InFlight: Sendable { let count = Mutex(0) }
        let inFlight = InFlight()
        let most = Events<Int>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask {
                    let window = windows[number % 3]
                    let places = await window.take(upTo: number % 7 + 1, atLeast: number % 3)
                    most.add(
                        inFlight.count.withLock { count in
                            count += places
                            return count
                        })
                    await Task.yield()
                    inFlight.count.withLock { $0 -= places }
                    window.release(places, answered: places)
                }
            }
        }
        #expect(most.count == 300)
        // Each window may always have one.
        #expect(most.all.allSatisfy { $0 <= max(slots, windows.count) })
        #expect(windows.allSatisfy { $0.inFlight == 0 })
    }
}

/// The sums that are kept up to date are what a look at all windows would find.
@Suite struct SlotSharesSumTests {
    /// The rule, without any sum.
    private struct Model {
        let windows: [Int]
        let pool: Int
        var lent: [Int]
        var wants: [Bool]

        mutating func borrow(_ count: Int, by member: Int) -> Int {
            guard count > 0 else {
                wants[member] = false
                return 0
            }
            let active = windows.indices.filter { $0 == member || wants[$0] || lent[$0] > 0 }
            let fair = pool * windows[member] / active.reduce(0) { $0 + windows[$1] }
            let granted = max(0, min(count, pool - lent.reduce(0, +), fair - lent[member]))
            lent[member] += granted
            wants[member] = granted < count
            return granted
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func anyOrderOfCallsAgrees(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let windows = (0..<7).map { _ in Int.random(in: 1...64, using: &random) }
        let slots = Int.random(in: 2...60, using: &random)
        let shares = SlotShares(slots: slots, windows: windows)
        let own = windows.indices.map { shares.guaranteed($0) }
        let isLimited = windows.reduce(0, +) > slots
        var model = Model(
            windows: windows, pool: isLimited ? max(0, slots - own.reduce(0, +)) : 0,
            lent: windows.map { _ in 0 }, wants: windows.map { _ in false })
        for _ in 0..<500 {
            let member = Int.random(in: windows.indices, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let count = Int.random(in: 0...model.lent[member], using: &random)
                shares.release(count, by: member)
                model.lent[member] -= count
            case 1:
                shares.rest(member)
                model.wants[member] = false
            default:
                let count = Int.random(in: -2...40, using: &random)
                #expect(shares.borrow(count, by: member) == model.borrow(count, by: member))
            }
        }
    }
}
