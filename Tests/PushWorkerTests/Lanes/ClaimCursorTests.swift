import PushModel
import Testing

@testable import PushWorker
@testable import Store

@Suite struct ClaimCursorTests {
    private func claim(_ count: Int, bytes: Int) -> Claim {
        let message = Message(
            id: 1, target: .tag("World"), content: String(repeating: "x", count: bytes), expiresAt: .infinity)
        return Claim(id: 1, messages: Array(repeating: message, count: count), position: .start)
    }

    @Test func itGrowsToTheBatch() {
        var cursor = ClaimCursor(batch: 1000)
        #expect(cursor.limit == ClaimCursor.firstLimit)
        for _ in 0..<4 { cursor.claimed(claim(10, bytes: 300)) }
        #expect(cursor.limit == 1000)
    }

    @Test func aSmallBatchIsKept() {
        #expect(ClaimCursor(batch: 20).limit == 20)
    }

    @Test func largeContentsMeanSmallerClaims() {
        var cursor = ClaimCursor(batch: 1000)
        for _ in 0..<4 { cursor.claimed(claim(10, bytes: 64_000)) }
        #expect(cursor.limit == 125)
        cursor.claimed(nil)
        #expect(cursor.limit == 125)
        cursor.claimed(claim(125, bytes: 300))
        #expect(cursor.limit == 1000)
    }

    @Test func handlesCountAsBytes() {
        let message = Message(
            id: 1, target: .handles(Array(repeating: String(repeating: "h", count: 500), count: 1000)), content: "{}",
            format: "apple", expiresAt: .infinity)
        var cursor = ClaimCursor(batch: 1000)
        cursor.claimed(Claim(id: 1, messages: [message], position: .start))
        #expect(cursor.limit == 15)
    }

    @Test func aClaimThatTakesTooLongIsTriedWithFewer() {
        var cursor = ClaimCursor(batch: 1000)
        for _ in 0..<9 { cursor.failed(isTooLong: true) }
        #expect(cursor.limit == 1)
        #expect(cursor.faults == 9)
        #expect(!cursor.isAtEnd)
        cursor.claimed(nil)
        #expect(cursor.isAtEnd)
        #expect(cursor.faults == 0)
        #expect(cursor.limit == 2, "this one did not take too long")
        cursor.failed(isTooLong: false)
        #expect(cursor.limit == 2)
    }
}
