import Testing

@testable import PushWorker

@Suite struct MessageTrafficTests {
    @Test func fewMessagesAreNotHeavy() {
        let traffic = MessageTraffic()
        #expect(!traffic.isHeavy(now: 0))
        for second in 0..<20 {
            traffic.claimed(50, now: Double(second) * 0.1)
            #expect(!traffic.isHeavy(now: Double(second) * 0.1))
        }
    }

    @Test func aBacklogIsHeavyFromItsFirstClaimsOn() {
        let traffic = MessageTraffic()
        traffic.claimed(100, now: 10)
        #expect(!traffic.isHeavy(now: 10))
        traffic.claimed(200, now: 10.01)
        #expect(traffic.isHeavy(now: 10.01))
        for step in 1...20 { traffic.claimed(1000, now: 10 + Double(step) * 0.1) }
        #expect(traffic.isHeavy(now: 12))
        // The first claim of a new count does not say that there are few.
        traffic.claimed(1, now: 12.2)
        #expect(traffic.isHeavy(now: 12.2))
    }

    @Test func itEndsWithTheBacklog() {
        let traffic = MessageTraffic()
        for step in 0...10 { traffic.claimed(1000, now: Double(step) * 0.1) }
        #expect(!traffic.isHeavy(now: 2))
        traffic.claimed(1, now: 100)
        #expect(!traffic.isHeavy(now: 100))
    }
}
