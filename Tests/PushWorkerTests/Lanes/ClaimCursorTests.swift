import PushModel
import Testing

@testable import PushWorker
@testable import Store

@Suite struct FrontTests {
    private func claim(_ count: Int, bytes: Int) -> Claim {
        let message = Message(
            id: 1, target: .tag("World"), content: String(repeating: "x", count: bytes), expiresAt: .infinity)
        return Claim(id: 1, messages: Array(repeating: message, count: count), mark: .start)
    }

    @Test func itGrowsToTheBatch() {
        var front = ClaimCursor(batch: 1000)
        #expect(front.limit == ClaimCursor.first)
        for _ in 0..<4 { front.took(claim(10, bytes: 300)) }
        #expect(front.limit == 1000)
    }

    @Test func aSmallBatchIsKept() {
        #expect(ClaimCursor(batch: 20).limit == 20)
    }

    @Test func largeContentsAreTakenInFewerAndSmallOnesInMoreAgain() {
        var front = ClaimCursor(batch: 1000)
        for _ in 0..<4 { front.took(claim(10, bytes: 64_000)) }
        #expect(front.limit == 125)
        front.took(nil)
        #expect(front.limit == 125)
        front.took(claim(125, bytes: 300))
        #expect(front.limit == 1000)
    }

    @Test func whatTakesTooLongIsTriedWithFewer() {
        var front = ClaimCursor(batch: 1000)
        for _ in 0..<9 { front.failed(isTooLong: true) }
        #expect(front.limit == 1)
        #expect(front.faults == 9)
        front.rested()
        #expect(front.faults == 0)
        front.failed(isTooLong: false)
        #expect(front.limit == 1)
    }
}
