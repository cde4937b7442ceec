import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite struct ProxyTests {
    /// The proxy once shut down a descriptor it had closed a moment before. By then the number belonged to a connection of
    /// another test, whose answer was lost.
    @Test func otherConnectionsStayOpen() async throws {
        let test = try await TestDatabase.make()
        let isOver = Atomic(false)
        async let harmed = Self.harmed { isOver.load(ordering: .relaxed) }
        defer { isOver.store(true, ordering: .relaxed) }
        for _ in 0..<20 {
            let proxy = try Proxy(to: test.conninfo)
            let clients = try (0..<20).map { _ in try proxy.connected() }
            proxy.isAway = true
            proxy.end()
            for client in clients { close(client) }
        }
        isOver.store(true, ordering: .relaxed)
        #expect(await harmed == 0)
    }

    /// Opens and closes connections of its own, and counts those that were ended from outside while open. Each stays open while
    /// 31 more are opened.
    private static func harmed(until isOver: @escaping @Sendable () -> Bool) async -> Int {
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                var harmed = 0
                var open: [[Int32]] = []
                func closeOldest() {
                    let ends = open.removeFirst()
                    if !ends.allSatisfy({ send($0, "x", 1, Int32(MSG_NOSIGNAL)) == 1 }) { harmed += 1 }
                    for end in ends { close(end) }
                }
                while !isOver() {
                    var ends: [Int32] = [-1, -1]
                    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
                    open.append(ends)
                    if open.count == 32 { closeOldest() }
                }
                while !open.isEmpty { closeOldest() }
                done.resume(returning: harmed)
            }
        }
    }
}
