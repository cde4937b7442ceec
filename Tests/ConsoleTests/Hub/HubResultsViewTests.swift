import Postgres
import Store
import Testing

@testable import Console

@Suite struct HubResultsViewTests {
    private func results(_ minute: Double, _ status: String, _ reason: String, _ count: Int64) -> MinuteResults {
        MinuteResults(
            minute: Timestamp(secondsSince1970: minute), status: status, reason: reason, reasonClass: "policy",
            results: count)
    }

    @Test func theLargestCountComesFirst() {
        let view = HubResultsView([
            results(0, "rejected", "bad_request", 2), results(0, "accepted", "taken_by_hub", 1_500),
            results(60, "rejected", "target_gone", 3), results(60, "expired", "expired", 5),
        ])
        #expect(view.statusCounts.map(\.countStatus) == ["accepted", "expired", "rejected"])
        #expect(view.statusCounts.map(\.countResults) == ["1,500", "5", "5"])
        #expect(view.reasonCounts.map(\.reasonName) == ["taken_by_hub", "expired", "target_gone", "bad_request"])
    }

    @Test func eachMinuteSumsItsResultsFromTheNewestOn() {
        let view = HubResultsView([
            results(0, "accepted", "taken_by_hub", 4), results(60, "rejected", "bad_request", 1),
            results(60, "expired", "expired", 2), results(60, "in_doubt", "answer_lost", 3),
            results(60, "retrying", "throttled", 9),
        ])
        #expect(view.minutes.map(\.minuteMoment.momentClock) == ["00:01", "00:00"])
        #expect(view.minutes.map(\.minuteFailed) == ["3", "0"] && view.minutes.map(\.minuteSent) == ["0", "4"])
        #expect(view.minutes.map(\.minuteDoubts) == ["3", "0"] && view.minutes.map(\.minuteRetries) == ["9", "0"])
    }

    @Test func nothingIsSaidToBeNothing() { #expect(!HubResultsView([]).hasResults) }
}
