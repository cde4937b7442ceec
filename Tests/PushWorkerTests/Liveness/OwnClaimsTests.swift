import Testing

@testable import PushWorker

@Suite struct OwnClaimsTests {
    @Test func aClaimUnknownTwiceInARowIsAStray() {
        let ownClaims = OwnClaims()
        ownClaims.learn(1, of: "news")
        #expect(ownClaims.strays(in: [1, 2]) == [])
        #expect(ownClaims.strays(in: [1, 2]) == [2])
        #expect(ownClaims.strays(in: [1]) == [])
    }

    @Test func aClaimWhoseAnswerIsOnItsWayIsNoStray() {
        let ownClaims = OwnClaims()
        #expect(ownClaims.strays(in: [3]) == [])
        ownClaims.learn(3, of: "news")
        #expect(ownClaims.strays(in: [3]) == [])
    }

    @Test func aStrayThatCannotBeTakenBackIsTriedAgain() {
        let ownClaims = OwnClaims()
        _ = ownClaims.strays(in: [2])
        for _ in 1...3 { #expect(ownClaims.strays(in: [2]) == [2]) }
    }

    @Test func theLowestIsThatOfAllWeHoldOrMayHold() {
        let ownClaims = OwnClaims()
        #expect(ownClaims.lowest == nil)
        ownClaims.learn(7, of: "news")
        ownClaims.learn(5, of: "news")
        #expect(ownClaims.lowest == 5)
        _ = ownClaims.strays(in: [3, 5, 7])
        #expect(ownClaims.lowest == 3)
        _ = ownClaims.strays(in: [5, 7])
        ownClaims.forget([5])
        #expect(ownClaims.lowest == 7)
    }
}
