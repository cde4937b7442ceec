import Postgres
import Store
import Testing

@testable import Daemon

@Suite struct WorkerVitalsTests {
    private func state(_ change: (inout WorkerVitals.State) -> Void = { _ in }) -> WorkerVitals.State {
        let vitals = WorkerVitals(now: { 100 })
        vitals.update(change)
        return vitals.snapshot
    }

    @Test func aWorkerIsAliveWhileItsTasksAnswer() {
        let state = state()
        #expect(state.report(.livez, now: 129, aliveWithin: 30).isGood)
        let late = state.report(.livez, now: 130.04, aliveWithin: 30)
        #expect(!late.isGood && late.checks[0].says == "its tasks answered 30.0 s ago")
    }

    @Test func aWorkerWithAStuckTransportIsNotAlive() {
        let state = state { $0.transportAsked = 100 }
        #expect(state.report(.livez, now: 120, aliveWithin: 30).isGood)
        let stuck = state.report(.livez, now: 130, aliveWithin: 40)
        #expect(stuck.isGood && stuck.checks[1].says == "its thread responds")
        let late = state.report(.livez, now: 130, aliveWithin: 29)
        #expect(late.checks.filter { !$0.isGood }.map(\.name).contains("transport"))
    }

    @Test func withoutItsDatabaseAWorkerIsAliveButNotStarted() {
        let state = state { $0.databaseTrouble = "cannot connect" }
        #expect(state.report(.livez, now: 100, aliveWithin: 30).isGood)
        #expect(!state.report(.startupz, now: 100, aliveWithin: 30).isGood)
        let ready = state.report(.readyz, now: 100, aliveWithin: 30)
        #expect(ready.checks.filter { !$0.isGood }.map(\.name) == ["started", "database"])
        #expect(ready.checks.contains { $0.says == "cannot connect" })
    }

    @Test func anAnswerFromTheDatabaseCountsForTenSeconds() {
        let state = state {
            $0.databaseAt = 100
            $0.databaseTrouble = "it has gone"
        }
        func database(at now: Double) -> HealthReport.Check? {
            state.report(.readyz, now: now, aliveWithin: 30).checks.first { $0.name == "database" }
        }
        #expect(database(at: 109)?.isGood == true)
        #expect(database(at: 110)?.isGood == false)
        #expect(database(at: 110)?.says == "answered 10.0 s ago, with the right schema; now: it has gone")
    }

    @Test func aStoppingWorkerIsAliveAndNotReady() {
        let state = state { $0.isStopping = true }
        #expect(state.report(.livez, now: 100, aliveWithin: 30).isGood)
        #expect(
            state.report(.readyz, now: 100, aliveWithin: 30).checks.contains { $0.name == "stopping" && !$0.isGood })
    }

    @Test func aDatabaseThatTakesNoChangesMakesAWorkerUnreadyAfterTenSeconds() {
        func report(_ seconds: Double) -> HealthReport.Check? {
            let state = state {
                $0.databaseAt = 100
                $0.trouble = ("cannot write to the database for 14 s: 53100 the disk is full", seconds)
            }
            return state.report(.readyz, now: 100, aliveWithin: 30).checks.first { $0.name == "writing" }
        }
        #expect(report(9)?.isGood == true)
        #expect(report(10)?.isGood == false)
        #expect(report(10)?.says == "cannot write to the database for 14 s: 53100 the disk is full")
    }

    /// A restart would not set a clock, and nothing but signatures goes by it.
    @Test func aWrongClockIsSaidAndChangesNothing() {
        let state = state {
            $0.databaseAt = 100
            $0.preflight = Preflight.Findings(broken: [], clock: ClockDifference(seconds: -3_600, error: 0.1))
        }
        let report = state.report(.readyz, now: 100, aliveWithin: 30)
        let clock = report.checks.first { $0.name == "clock" }
        #expect(clock?.isGood == true)
        #expect(
            clock?.says.hasPrefix("this machine's clock is 3600 s ahead of the database's; 60 s are allowed: set both")
                == true)
        #expect(report.checks.first { $0.name == "settings" }?.says == "as needed")
    }
}
