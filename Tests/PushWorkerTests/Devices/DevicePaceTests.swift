import Testing

@testable import PushWorker

@Suite struct DevicePaceTests {
    @Test func turnsOfAllLanesFollowEachOther() {
        let pace = DevicePace()
        #expect(pace.turn(for: 50, now: 10).at == 10)
        #expect(pace.turn(for: 50, now: 10).at == 10.1)
        #expect(pace.turn(for: 50, now: 10.05).at == 10.2)
    }

    @Test func whatAClaimDidNotTakeDelaysNobody() {
        let pace = DevicePace()
        pace.turn(for: 500, now: 10).took(50)
        #expect(pace.turn(for: 1, now: 10).at == 10.1)
    }

    @Test func timeWithoutClaimsIsNotSavedUp() {
        let pace = DevicePace()
        _ = pace.turn(for: 50, now: 10)
        #expect(pace.turn(for: 50, now: 1000).at == 1000)
        #expect(pace.turn(for: 50, now: 1000).at == 1000.1)
    }
}
