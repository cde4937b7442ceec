import PushModel
import Store

/// What a worker does with a run after a look at it. Pure.
///
/// One step at a time: what a new state asks for is done with the next look.
struct RunStep: Sendable, Equatable {
    /// Moves messages to where they belong in the state that the run has.
    var move: Runs.Move?
    /// What happens to the run; nil: nothing.
    var event: RunEvent?
    /// In words; nil: nothing to say, or what was said before stays.
    var why: String?
    /// Whether the run ends for good with the event.
    var ends = false
    /// Why the schedule that started the run pauses itself; nil: it does not.
    var pausesSchedule: String?

    /// Seconds for which a paused run is looked at: for so long a transaction that saw it running may go on.
    static let settling = 300.0

    /// - Parameter look: what is known of the run.
    static func next(_ look: Runs.Look) -> RunStep {
        var step = RunStep()
        step.move = move(look)
        if let (event, why) = change(look) {
            (step.event, step.why) = (event, why)
        } else if let (event, why) = end(look) {
            (step.event, step.why, step.ends) = (event, why, true)
            step.pausesSchedule = pauseOfSchedule(look)
        }
        return step
    }

    private static func move(_ look: Runs.Look) -> Runs.Move? {
        switch look.state {
        case .paused: look.inState < settling ? .park : nil
        case .cancelling, .cancelled: look.open > 0 ? .cancel : nil
        case .expired, .skipped: look.hasParked ? .expire : nil
        case .waiting, .canary, .running, .done, .failed: look.hasParked ? .giveBack : nil
        }
    }

    private static func change(_ look: Runs.Look) -> (RunEvent, String?)? {
        switch look.state {
        case .waiting: return (.turnComes, nil)  // only those whose turn has come are looked at
        case .canary, .running, .paused:
            if let endsIn = look.endsIn, endsIn <= 0, !look.isExpanded {
                let all = look.estimate.map { "\($0)" } ?? "?"
                return (.timeIsUp, "its time was up after \(look.expanded) of about \(all) recipients")
            }
        case .cancelling, .cancelled, .done, .failed, .expired, .skipped: return nil
        }
        if look.state == .running, let why = stops(look) { return (.tooMuchFails, why) }
        if let canary = look.canary { return change(look, canary) }
        return nil
    }

    private static func change(_ look: Runs.Look, _ canary: Runs.Look.Canary) -> (RunEvent, String?)? {
        switch (look.state, look.isExpanded) {
        case (.canary, true): return (.canaryIsAll, nil)
        case (.running, false) where look.expanded >= canary.size:
            return (
                .canaryIsMade,
                "its first \(look.expanded) are made; the rest follows when their results are in, "
                    + "\(seconds(canary.wait)) later at the earliest"
            )
        case (.canary, false):
            guard look.inState >= canary.wait, let results = look.results else { return nil }
            if let why = fails(canary, results, look.reasons) { return (.canaryFails, "stopped itself: \(why)") }
            guard canary.asks else { return (.canaryPasses, nil) }
            return (
                .canaryAsks,
                "stopped itself: its canary of \(look.expanded) went well, and a person decides; fanfare campaign "
                    + "resume sends the rest"
            )
        default: return nil
        }
    }

    private static func fails(
        _ canary: Runs.Look.Canary, _ results: Runs.Look.Results, _ reasons: String?
    ) -> String? {
        let failed = results.rejected + results.expired
        guard
            RunJudgement.exceeds(failed, of: results.all, limit: canary.failed, sureness: RunJudgement.once)
                || RunJudgement.exceeds(
                    results.doubts, of: results.all, limit: canary.doubts, sureness: RunJudgement.once)
        else { return nil }
        return "of its canary of \(results.all) \(failed) failed (at most \(percent(canary.failed))) and "
            + "\(results.doubts) are in doubt (at most \(percent(canary.doubts))): \(reasons ?? "")"
    }

    private static func stops(_ look: Runs.Look) -> String? {
        guard let stop = look.stop, let judged = look.judged, judged.all >= stop.least else { return nil }
        func exceeds(_ part: Int64, _ limit: Double?) -> Double? {
            guard let limit,
                RunJudgement.exceeds(part, of: judged.all, limit: limit, sureness: RunJudgement.again)
            else { return nil }
            return limit
        }
        if let limit = exceeds(judged.rejected, stop.rejected) {
            return
                "stopped itself: \(judged.rejected) of \(judged.all) results were rejected, more than \(percent(limit))"
        }
        if let limit = exceeds(judged.doubts, stop.doubts) {
            return "stopped itself: \(judged.doubts) of \(judged.all) results are in doubt, more than \(percent(limit))"
        }
        return nil
    }

    private static func end(_ look: Runs.Look) -> (RunEvent, String?)? {
        guard look.open == 0, let results = look.results else { return nil }
        switch look.state {
        case .waiting, .canary, .paused: return nil
        case .cancelling, .cancelled, .expired, .skipped: return (.isStopped, nil)
        case .running, .done, .failed:
            guard look.isExpanded else { return nil }
            let unsent = results.rejected + results.expired
            if look.expanded > 0 {
                return unsent == results.all ? (.nothingIsSent, "nothing could be sent") : (.isSent, nil)
            }
            return (.isSent, look.leftOut ? "everybody in the audience was left out" : "the audience was empty")
        }
    }

    private static func pauseOfSchedule(_ look: Runs.Look) -> String? {
        guard let share = look.pauseShare, let results = look.results else { return nil }
        let failed = results.rejected + results.expired
        guard RunJudgement.exceeds(failed, of: results.all, limit: share, sureness: RunJudgement.once) else {
            return nil
        }
        return "of run \"\(look.key)\" \(failed) of \(results.all) messages failed, more than \(percent(share))"
    }

    /// `0.02` as `2 %`, without digits that say nothing.
    private static func percent(_ share: Double) -> String {
        let hundredths = Int((share * 10_000).rounded())
        let (whole, rest) = (hundredths / 100, hundredths % 100)
        if rest == 0 { return "\(whole) %" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10) %" : "\(whole).\(rest < 10 ? "0" : "")\(rest) %"
    }

    private static func seconds(_ wait: Double) -> String {
        let whole = Int(wait.rounded())
        return whole >= 120 && whole % 60 == 0 ? "\(whole / 60) min" : "\(whole) s"
    }
}
