import ArgumentParser
import CommandLineTool
import PushWorker
import Store

/// Waits for the end of a run, and gives the exit status for it.
struct RunWait {
    let campaigns: CampaignStore
    let campaign: String
    let key: String
    /// Seconds; nil: as long as it takes.
    let most: Double?
    var meter: ProgressLine?
    /// Whether a hub that no worker serves ends the wait.
    var needsWorker = false

    func look() async throws -> RunProgress {
        guard let run = try await campaigns.progress(campaign, key: key).first else {
            throw Failure("cannot see run \(key.quoted)", because: "it was deleted", status: .badInput)
        }
        return run
    }

    /// - Returns: the run, and whether it was not over in time.
    func untilOver() async throws -> (RunProgress, isLate: Bool) {
        let began = Clock.system.monotonic()
        var hasWarned = false
        while true {
            let run = try await look()
            await meter?.show(RunScreen.line(of: run))
            let seconds = Clock.system.monotonic() - began
            if run.state.isOver || run.state == .paused {
                await meter?.end()
                return (run, false)
            }
            if seconds > (needsWorker ? 5 : 10), !hasWarned, !run.unserved.isEmpty {
                hasWarned = true
                StandardStreams.printError(
                    "no worker serves \(run.unserved.joined(separator: ", ")): start fanfare run, or fanfare drain")
            }
            if hasWarned && needsWorker || most.map({ seconds >= $0 }) == true {
                await meter?.end()
                return (run, true)
            }
            try await Task.sleep(for: .seconds(seconds < 2 ? 0.1 : 0.5))
        }
    }

    /// The exit status of a run that was waited for.
    static func status(of run: RunProgress, isLate: Bool) -> ExitStatus {
        if isLate || run.state == .paused { return .tryLater }
        return run.rejected + run.expired + run.inDoubt + run.cancelled > 0 || run.state != .done ? .someFailed : .ok
    }
}
