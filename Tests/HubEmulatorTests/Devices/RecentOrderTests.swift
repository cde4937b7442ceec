import Testing

@testable import HubEmulator

@Suite struct RecentOrderTests {
    @Test func theLatestKeyComesFirstAndOnlyOnce() {
        var order = RecentOrder<String>()
        for (stamp, key) in ["a", "b", "a", "c"].enumerated() { order.note(key, stamp) }
        #expect(order.newest(10).map(\.key) == ["c", "a", "b"])
        #expect(order.newest(1).map(\.key) == ["c"])
        order.forget("a")
        #expect(order.newest(10).map(\.key) == ["c", "b"] && order.count == 2)
    }

    @Test func repeatedKeysTakeNoMoreMemory() {
        var order = RecentOrder<Int>()
        for stamp in 0..<100_000 { order.note(stamp % 3, stamp) }
        #expect(order.newest(10).map(\.key) == [0, 2, 1])
    }
}
