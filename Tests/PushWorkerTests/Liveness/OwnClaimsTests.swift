import Testing

@testable import PushWorker

@Suite struct OwnClaimsTests {
    @Test func aClaimUnknownTwiceInARowIsAStray() {
        let ownClaims = OwnClaims()
        ownClaims.learn(1)
        #expect(ownClaims.strays(in: [1, 2]) == [])
        #expect(ownClaims.strays(in: [1, 2]) == [2])
        #expect(ownClaims.strays(in: [1]) == [])
    }

    @Test func aClaimWhoseAnswerIsOnItsWayIsNoStray() {
        let ownClaims = OwnClaims()
        #expect(ownClaims.strays(in: [3]) == [])
        ownClaims.learn(3)
        #expect(ownClaims.strays(in: [3]) == [])
    }
}
