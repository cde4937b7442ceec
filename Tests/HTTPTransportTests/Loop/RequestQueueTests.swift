import Testing

@testable import HTTPTransport

/// Batches that wait for a slot.
@Suite struct RequestQueueTests {
    @Test func requestsThatHaveLeftAreNotKeptWhileOthersWait() {
        var queue = RequestQueue()
        weak let first = add(2, to: &queue)
        weak let second = add(1, to: &queue)
        queue.removeFirst()
        #expect(first != nil)
        queue.removeFirst()
        #expect(first == nil)
        #expect(second != nil)
        #expect(queue.count == 1)
    }

    /// One batch, and what its requests share.
    private func add(_ count: Int, to queue: inout RequestQueue) -> SharedHeaders? {
        let shared = SharedHeaders([])
        let requests = (0..<count).map { Request(id: Int64($0), url: "https://localhost/", shared: shared) }
        queue.add([Batch(requests: requests, recipient: .pending(PendingReply(id: 0)))])
        return shared
    }
}
