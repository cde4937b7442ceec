import Testing

@testable import HTTPTransport

@Suite struct InboxTests {
    private let counts = AtomicCounters()

    private func batch(_ id: Int64) -> Batch {
        Batch(requests: [request(id, to: "https://ns.example/")], recipient: .pending(PendingReply(id: id)))
    }

    @Test func aBusyLoopIsNotWoken() throws {
        let inbox = try Inbox(counts: counts)
        for id in 0..<100 { #expect(inbox.submit(batch(Int64(id)))) }
        #expect(counts.wakeUps.load(ordering: .relaxed) == 0)
        #expect(inbox.take().batches.count == 100)
    }

    @Test func aSleepingLoopIsWokenOnceForManySubmissions() throws {
        let inbox = try Inbox(counts: counts)
        #expect(inbox.fallAsleep())
        for id in 0..<100 { #expect(inbox.submit(batch(Int64(id)))) }
        #expect(counts.wakeUps.load(ordering: .relaxed) == 1)
    }

    @Test func aLoopWithWorkDoesNotFallAsleep() throws {
        let inbox = try Inbox(counts: counts)
        #expect(inbox.submit(batch(1)))
        #expect(!inbox.fallAsleep())
        #expect(inbox.submit(batch(2)))
        #expect(counts.wakeUps.load(ordering: .relaxed) == 0)
    }

    @Test func afterTheLastTakeNothingIsAccepted() throws {
        let inbox = try Inbox(counts: counts)
        inbox.stop()
        #expect(inbox.submit(batch(1)), "the loop has not taken its work yet: it will find this batch")
        let last = inbox.take()
        #expect(last.isStopping)
        #expect(last.batches.count == 1)
        #expect(!inbox.submit(batch(2)))
    }
}
