import Foundation
import Testing

@testable import Chaos

@Suite struct CampaignReportTests {
    private func report(_ breaches: [Breach<CampaignPromise>] = []) -> CampaignReport {
        var options = CampaignRun.Options(seed: 7)
        options.recipients = 2_000
        return CampaignReport(options: options, facts: CampaignCheckerTests.goodRun(), breaches: breaches)
    }

    @Test func aBrokenPromiseIsNamedAndFailsTheRun() throws {
        #expect(report().isGood)
        #expect(!report().text.contains("BROKEN"))
        let report = report([.init(promise: .nothingIsRepeated, count: 12, examples: ["key 9 was taken 2 times"])])
        #expect(!report.isGood)
        #expect(report.text.contains("BROKEN \(CampaignPromise.nothingIsRepeated.rawValue)"))
        #expect(report.text.contains("key 9 was taken 2 times"))
        #expect(report.text.contains("and 11 more"))
        let json = try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any]
        #expect(json?["good"] as? Bool == false)
        #expect((json?["violations"] as? [[String: Any]])?.first?["count"] as? Int == 12)
        #expect((json?["messages"] as? [String: Int])?["in_doubt"] == 2)
    }

    @Test func aRunThatMetTroubleIsNotGood() {
        var report = report()
        report.troubles = ["worker 1 ended by itself"]
        #expect(!report.isGood)
        #expect(report.text.contains("worker 1 ended by itself"))
    }
}

@Suite struct CampaignScheduleTests {
    @Test func theSameSeedDisturbsAtTheSameShares() {
        #expect(DisturbancePlan(seed: 7, workers: 2) == DisturbancePlan(seed: 7, workers: 2))
        #expect(DisturbancePlan(seed: 7, workers: 2) != DisturbancePlan(seed: 8, workers: 2))
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func eachDisturbanceComesOnceAndInItsOrder(seed: UInt64) {
        let schedule = DisturbancePlan(seed: seed, workers: 2)
        #expect(schedule.moments.map(\.disturbance) == DisturbancePlan.Disturbance.allCases)
        #expect(schedule.moments.map(\.share) == schedule.moments.map(\.share).sorted())
        #expect((0..<2).contains(schedule.worker))
    }
}
