import Logging
import Testing

@testable import Daemon

@Suite struct CertificateEndTests {
    @Test(
        arguments: [
            (30.5, nil), (29.5, "ends on 2025-01-31, in 29 days"), (1.5, "ends on 2025-01-31, in 1 day"),
            (0.5, "ends on 2025-01-31, within a day"), (0, "ended on 2025-01-31"), (-3, "ended on 2025-01-31"),
        ] as [(Double, String?)])
    func peopleAreToldFromThirtyDaysBefore(days: Double, words: String?) {
        let end = CertificateEnd(at: 1_738_324_800)
        let now = Double(end.at) - days * 86_400
        #expect(end.words(now: now) == words.map { "the client certificate \($0)" })
        #expect(end.isNear(now: now) == (words != nil))
    }

    @Test func theLogNamesTheHubsWhoseCertificateEndsSoon() {
        let end: Int64 = 1_738_324_800
        let duty = CertificateDuty(
            ends: ["ios": end, "far": end + 90 * 86_400, "app": end - 20 * 86_400], log: Logger(label: "test"),
            clock: { Double(end) - 10 * 86_400 })
        #expect(duty.due.map(\.hub) == ["app", "ios"])
        #expect(
            duty.due.map(\.words) == [
                "the client certificate ended on 2025-01-11", "the client certificate ends on 2025-01-31, in 10 days",
            ])
    }
}
