import PushModel
import Store
import Testing

@testable import PushWorker

@Suite struct DormantLanesTests {
    private func id(_ hub: Int32, _ priority: Priority = .normal) -> Queue.LaneID {
        Queue.LaneID(hub: hub, priority: priority)
    }

    private func three() -> DormantLanes<Queue.LaneID, String> {
        var dormant = DormantLanes<Queue.LaneID, String>()
        dormant.add("one", id(1))
        dormant.add("one, urgent", id(1, .urgent))
        dormant.add("two", id(2))
        return dormant
    }

    @Test func onlyWhatIsDueAndMayWorkWakes() {
        var dormant = three()
        let due: Set = [id(1, .urgent), id(2), id(3)]
        let first = dormant.looked(due, now: 10, seconds: 0) { $0 != "two" }
        #expect(first == ["one, urgent"])
        #expect(dormant.count == 2)
        let second = dormant.looked(due, now: 11, seconds: 0) { _ in true }
        #expect(second == ["two"], "its hub opened meanwhile")
        let third = dormant.looked(due, now: 12, seconds: 0) { _ in true }
        #expect(third == [])
    }

    /// A look that is slow, because of entries that nobody may vacuum, comes seldom.
    @Test func aLookCostsAFiftiethOfTheTime() {
        var dormant = three()
        #expect(dormant.isDue(now: 10))
        _ = dormant.looked([], now: 10, seconds: 0.001) { _ in true }
        #expect(!dormant.isDue(now: 10.09) && dormant.isDue(now: 10.1))
        _ = dormant.looked([], now: 20, seconds: 0.2) { _ in true }
        #expect(!dormant.isDue(now: 29.9) && dormant.isDue(now: 30))
        dormant.hurry()
        #expect(dormant.isDue(now: 20))
    }

    @Test func withoutLanesNobodyLooks() {
        var dormant = DormantLanes<Queue.LaneID, String>()
        #expect(!dormant.isDue(now: 10))
        dormant = three()
        #expect(dormant.isDue(now: 10))
        dormant.removeAll()
        #expect(dormant.count == 0 && !dormant.isDue(now: 10))
    }
}
