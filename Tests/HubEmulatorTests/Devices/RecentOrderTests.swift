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

    @Test func onlyTheNewestKeysAreKept() {
        var order = RecentOrder<Int>(limit: 100)
        for stamp in 0..<100_000 { order.note(stamp, stamp) }
        #expect(order.count <= 2 * 100 + 1_024)
        #expect(order.newest(100).map(\.key) == (99_900..<100_000).reversed())
        for stamp in 100_000..<110_000 { order.note(7, stamp) }
        #expect(order.count <= 101 && order.newest(1).map(\.key) == [7])
    }

    @Test func repeatedKeysTakeNoMoreMemory() {
        var order = RecentOrder<Int>()
        for stamp in 0..<100_000 { order.note(stamp % 3, stamp) }
        #expect(order.newest(10).map(\.key) == [0, 2, 1])
    }
}
