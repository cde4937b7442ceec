import Testing

@testable import Daemon

/// When the watchdog is no longer notified. Patience: 30 s, as in deploy/systemd.
@Suite struct WatchdogPolicyTests {
    private func finding(at now: Double = 1000, _ change: (inout WorkerVitals.State) -> Void) -> WatchdogPolicy.Finding
    {
        let vitals = WorkerVitals(now: { 0 })
        vitals.update(change)
        return WatchdogPolicy(patience: 30).finding(in: vitals.snapshot, now: now)
    }

    @Test func aWorkerThatWaitsForNothingProgresses() {
        #expect(finding { _ in } == .progressing)
    }

    @Test(arguments: [
        (29.0, WatchdogPolicy.Finding.progressing), (30, .slow(.transport)), (59, .slow(.transport)),
        (60, .stalled(.transport)),
    ])
    func aStuckTransportStallsAfterAMinute(seconds: Double, expected: WatchdogPolicy.Finding) {
        #expect(finding { $0.transportAsked = 1000 - seconds } == expected)
    }

    @Test func aStatementOfAMinuteStalls() {
        #expect(finding { $0.recording = 59 } == .slow(.recorder))
        #expect(finding { $0.recording = 60 } == .stalled(.recorder))
    }

    @Test func aSilentDatabaseStallsAlsoWhileResultsWait() {
        #expect(
            finding {
                $0.databaseAsked = 940
                $0.hasUnwritten = true
            } == .stalled(.silence))
    }

    @Test func aDatabaseThatIsDownStallsAfterFiveMinutes() {
        #expect(finding { $0.databaseFailsSince = 851 } == .progressing)
        #expect(finding { $0.databaseFailsSince = 850 } == .slow(.refusal))
        #expect(finding { $0.databaseFailsSince = 700 } == .stalled(.refusal))
    }

    /// A restart would put them in doubt.
    @Test func aDatabaseThatIsDownDoesNotStallWhileResultsWait() {
        #expect(
            finding {
                $0.databaseFailsSince = 0
                $0.hasUnwritten = true
            } == .progressing)
    }

    @Test func theWorstCauseIsNamed() {
        #expect(
            finding {
                $0.databaseFailsSince = 700
                $0.transportAsked = 800
            } == .stalled(.transport))
    }
}
