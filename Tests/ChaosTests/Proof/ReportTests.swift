import Foundation
import Testing

@testable import Chaos

@Suite struct ReportTests {
    private func report(_ violations: [Violation] = [], isAsynchronous: Bool = false) -> Report {
        var facts = Facts()
        facts.messages = [
            .init(id: 1, hub: "news", tag: "t1", marker: "1", status: "accepted"),
            .init(id: 2, hub: "shop", tag: nil, marker: "2", status: "scheduled"),
        ]
        facts.arrivals = TestHub.allCases.map {
            .init(number: 1, hub: $0.rawValue, at: 1, status: 201, isTaken: true, tags: nil, markers: [])
        }
        facts.results = [.init(id: 1, post: 10_001, at: 1, status: "accepted", reason: "taken_by_hub")]
        var options = ChaosRun.Options(seed: 7)
        options.isAsynchronous = isAsynchronous
        return Report(options: options, facts: facts, violations: violations)
    }

    private let broken = Violation(.nothingIsRepeated, message: 1, "went out twice")

    @Test func aBrokenPromiseIsNamedAndFailsTheRun() throws {
        #expect(report().isGood)
        #expect(!report().text.contains("BROKEN"))
        let report = report([broken])
        #expect(!report.isGood)
        #expect(report.text.contains("BROKEN \(Violation.Promise.nothingIsRepeated.rawValue)"))
        #expect(report.text.contains("message 1: went out twice"))
        let json = try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any]
        #expect(json?["good"] as? Bool == false)
        #expect((json?["violations"] as? [[String: Any]])?.first?["message"] as? Int == 1)
        #expect(json?["messages"] as? [String: Int] == ["accepted, taken_by_hub": 1, "scheduled": 1])
    }

    @Test func whatAnAsynchronousStandbyLosesIsToldAndNotHeldAgainstAnybody() throws {
        #expect(!report([broken], isAsynchronous: true).isGood)
        var loss = broken
        loss.isLoss = true
        let report = report([loss], isAsynchronous: true)
        #expect(report.isGood)
        #expect(!report.text.contains("BROKEN"))
        #expect(report.text.contains(#/messages sent again +1\n/#))
        #expect(try report.json.contains("went out twice"))
    }

    @Test func aRunThatMetTroubleIsNotGood() {
        var report = report()
        report.troubles = ["worker 1 ended by itself"]
        #expect(!report.isGood)
        #expect(report.text.contains("worker 1 ended by itself"))
    }

    @Test func eachHubHasItsMessages() throws {
        var report = report()
        report.accessTokens = 12
        #expect(report.text.contains(#/Messages of news, Notification Hubs\n  accepted, taken_by_hub +1\n/#))
        #expect(
            report.text.contains(
                #/Messages of shop, FCM\n  scheduled +1\n  sends that it saw +1  1 taken\n  access tokens .* 12\n/#))
        let json = try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any]
        let shop = (json?["hubs"] as? [String: Any])?["shop"] as? [String: Any]
        #expect(shop?["messages"] as? [String: Int] == ["scheduled": 1])
        #expect(shop?["taken"] as? Int == 1)
        #expect(json?["taken"] as? Int == 4)
    }

    @Test func aRunThatOneHubTookNoPartInProvesNothing() {
        var facts = Facts()
        facts.arrivals = TestHub.allCases.map {
            .init(number: 1, hub: $0.rawValue, at: 1, status: 201, isTaken: $0 != .shop, tags: nil, markers: [])
        }
        let report = Report(options: ChaosRun.Options(seed: 7), facts: facts, violations: [])
        #expect(!report.isGood)
        #expect(report.text.contains("shop took nothing"))
        #expect(!report.text.contains("news took nothing"))
    }

    @Test(arguments: [
        (1.0, 2.0, [0.5, 1.5, 4.0, 9.0], 2.5), (1.0, 2.0, [1.1, 1.2, 2.1], 0.9), (1.0, 2.0, [0.5], 0),
        (1.0, 2.0, [], 0),
    ])
    func silenceLastsUntilTheFirstSendAfterTheInjury(began: Double, ended: Double, taken: [Double], seconds: Double) {
        #expect(abs(Report.silence(from: began, to: ended, taken) - seconds) < 0.001)
    }
}
