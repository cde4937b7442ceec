import Postgres
import Store
import Testing

@testable import Daemon

@Suite struct PreflightTests {
    private static let broken = BrokenSetting(
        name: "default_transaction_isolation", value: "serializable", source: "user", needed: "read committed",
        isPooled: true, login: "w", database: "d")

    private func fault(clock seconds: Double, error: Double = 0.01, judgesClock: Bool = true) -> String? {
        Preflight.Findings(broken: [], clock: ClockDifference(seconds: seconds, error: error))
            .fault(judgesClock: judgesClock)?.description
    }

    @Test func aMinuteIsAllowed() {
        #expect(fault(clock: 59) == nil)
        #expect(fault(clock: -59) == nil)
        #expect(fault(clock: -61) == "this machine's clock is 61 s ahead of the database's; 60 s are allowed")
        #expect(fault(clock: 90_000) == "this machine's clock is 90000 s behind the database's; 60 s are allowed")
    }

    /// A pooler that pauses makes a statement take minutes.
    @Test func aDifferenceThatMayBeTheWayIsNone() {
        #expect(fault(clock: 150, error: 150) == nil)
        #expect(fault(clock: 150, error: 80) != nil)
    }

    @Test func theClockIsJudgedOnlyAtTheStart() {
        #expect(fault(clock: 90_000, judgesClock: false) == nil)
    }

    @Test func aSettingStopsEveryGenerationAndSaysWhatMendsIt() throws {
        let findings = Preflight.Findings(broken: [Self.broken], clock: ClockDifference(seconds: 0, error: 0))
        let fault = try #require(findings.fault(judgesClock: false))
        #expect(fault.description == #"default_transaction_isolation is "serializable" (set for: user)"#)
        #expect(
            fault.remedy == #"ALTER ROLE "w" SET default_transaction_isolation = 'read committed', "#
                + "then have the pooler reconnect (pgbouncer: RECONNECT)")
    }
}
