import Testing

@testable import Daemon

/// When systemd is not told any more that a worker lives. Patience: 30 s, as in deploy/systemd.
@Suite struct StillnessTests {
    private func finding(at now: Double = 1000, _ change: (inout WorkerVitals.State) -> Void) -> WatchdogPolicy.Finding
    {
        let vitals = WorkerVitals(now: { 0 })
        vitals.note(change)
        return WatchdogPolicy(patience: 30).finding(in: vitals.look, now: now)
    }

    @Test func aWorkerThatWaitsForNothingMoves() {
        #expect(finding { _ in } == .moves)
    }

    @Test(arguments: [
        (29.0, WatchdogPolicy.Finding.moves), (30, .slow(.transport)), (59, .slow(.transport)),
        (60, .still(.transport)),
    ])
    func aTransportThatMakesNoTurnCountsAfterAMinute(seconds: Double, expected: WatchdogPolicy.Finding) {
        #expect(finding { $0.transportAsked = 1000 - seconds } == expected)
    }

    @Test func aResultThatIsBeingWrittenForAMinuteCounts() {
        #expect(finding { $0.recording = 59 } == .slow(.recorder))
        #expect(finding { $0.recording = 60 } == .still(.recorder))
    }

    @Test func aDatabaseThatGivesNoAnswerCountsAfterAMinuteAlsoWhenResultsWait() {
        #expect(
            finding {
                $0.databaseAsked = 940
                $0.hasUnwritten = true
            } == .still(.silence))
    }

    @Test func aDatabaseThatIsDownCountsAfterFiveMinutes() {
        #expect(finding { $0.databaseFailsSince = 851 } == .moves)
        #expect(finding { $0.databaseFailsSince = 850 } == .slow(.refusal))
        #expect(finding { $0.databaseFailsSince = 700 } == .still(.refusal))
    }

    /// A restart would make doubts of them.
    @Test func aDatabaseThatIsDownDoesNotCountWhileOnlyThisProcessKnowsResults() {
        #expect(
            finding {
                $0.databaseFailsSince = 0
                $0.hasUnwritten = true
            } == .moves)
    }

    @Test func theWorstIsNamed() {
        #expect(
            finding {
                $0.databaseFailsSince = 700
                $0.transportAsked = 800
            } == .still(.transport))
    }
}
