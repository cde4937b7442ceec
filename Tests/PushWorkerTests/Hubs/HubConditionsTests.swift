import Testing

@testable import PushWorker

@Suite struct HubConditionsTests {
    @Test func eachBeginsAndEndsOnceWithTheTimeBetween() {
        var conditions = HubConditions()
        let never = conditions.ended(.held, now: 1)
        #expect(never == nil)
        let news = [
            conditions.began(.held, because: "401", now: 10), conditions.began(.held, because: "403", now: 20),
            conditions.began(.paused, because: "anna", now: 21),
        ]
        #expect(news == [true, false, true])
        let held = conditions.ended(.held, now: 25)
        #expect(held?.seconds == 15 && held?.why == "403")
        let again = conditions.ended(.held, now: 26)
        #expect(again == nil)
        let paused = conditions.ended(.paused, now: 22)
        #expect(paused?.seconds == 1)
        let isNews = conditions.began(.held, because: "401", now: 30)
        #expect(isNews)
    }

    @Test func theGateSaysWhichHold() {
        var state = Gate.State()
        #expect(HubConditions.Condition.allCases.allSatisfy { state.reason(of: $0, now: 100) == nil })
        state.waitUntil = 105
        state.waitJitter = 1
        #expect(state.reason(of: .waiting, now: 105.9) != nil && state.reason(of: .waiting, now: 106) == nil)
        state.held = "401"
        state.pausedBy = "anna"
        #expect(state.reason(of: .held, now: 0) == "401" && state.reason(of: .paused, now: 0) == "anna")
        state.breaker.learn(1, now: 0)
        #expect(state.reason(of: .failing, now: 0) != nil)
    }
}
