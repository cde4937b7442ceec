import PushModel
import Store

/// Where a run stands, a moment ago.
struct RunStanding: Sendable {
    var progress: RunProgress
    /// Why messages of it were not accepted; empty where an action does not ask.
    var failures: [RunFailure] = []

    /// `It is paused since 2027-01-15T08:00:00Z: paused by Ann: wrong picture.`
    var words: String {
        let since = progress.stateSince.map { " since \(HumanFormat.toSeconds($0))" } ?? ""
        return "It is \(progress.state.rawValue)\(since)" + (progress.why.map { ": \($0)." } ?? ".")
    }

    /// Messages that failed for good; with a reason those that failed for it.
    func failed(_ reason: Reason? = nil) -> Int64 {
        guard let reason else { return progress.rejected + progress.expired }
        return failures.reduce(0) { sum, failure in
            let isFailed = failure.status == Status.rejected.rawValue || failure.status == Status.expired.rawValue
            return sum + (isFailed && failure.reason == reason.rawValue ? failure.messages : 0)
        }
    }
}

extension RunProgress {
    /// `About 6,000 recipients have no message yet, 880 messages wait, and 100 are under way.`
    var openWords: String {
        let made = neverMade.map { never in
            "\(isExpanded ? "" : "About ")\(HumanFormat.grouped(never)) recipients have no message yet"
        }
        return (made ?? "How many recipients have no message yet is not known")
            + "; \(HumanFormat.grouped(pending)) messages wait, and \(HumanFormat.grouped(underWay)) are under way."
    }
}
