import PushModel
import Store

/// Messages that failed, and those that nobody knows of.
enum FailureProblems {
    /// Percent of the messages of ten minutes that may be rejected.
    static let mostRejected = 2.0
    /// Percent of the messages of an hour that may fail before it is critical, as in `push.check`.
    static let mostFailed = 50.0
    /// Below this number of ended messages a share says nothing.
    static let least: Int64 = 20

    static func of(_ rows: OverviewRows) -> [Problem] {
        (rows.minutes.value ?? []).compactMap(failed) + doubts(rows)
    }

    private static func failed(_ counts: MinuteCounts) -> Problem? {
        let (lately, hour) = (counts.sum(ofLast: 10), counts.sum(ofLast: 60))
        let isCritical = hour.ended >= least && percent(hour.failed, of: hour) >= mostFailed
        let isRejecting = lately.ended >= least && percent(lately.rejected, of: lately) > mostRejected
        guard isCritical || isRejecting else { return nil }
        let why =
            isRejecting
            ? "\(words(lately.rejected, of: lately)) of the last 10 minutes were rejected"
            : "\(words(hour.failed, of: hour)) of the last hour failed"
        return Problem(
            kind: .rejected, severity: isCritical ? .critical : .warning, what: "Messages of hub \(counts.hub) fail",
            why: why,
            todo:
                "They are not sent again by themselves. See why: fanfare message list --hub \(counts.hub) --status rejected",
            link: .failures(of: counts.hub), hub: counts.hub)
    }

    private static func doubts(_ rows: OverviewRows) -> [Problem] {
        guard let pulse = rows.pulse.value?.pulse else { return [] }
        return pulse.inDoubt.filter { $0.messages > 0 }.map { doubts in
            Problem(
                kind: .inDoubt, severity: .warning,
                what:
                    "\(OverviewText.messages(doubts.messages, more: pulse.moreInDoubt)) of hub \(doubts.hub) in doubt",
                why: "their requests left and no answer came: they may have been sent or not", todo: Remedies.doubts,
                link: .failures(of: doubts.hub), hub: doubts.hub)
        }
    }

    private static func percent(_ part: Int64, of counts: MinuteCounts.Minute) -> Double {
        100 * Double(part) / Double(max(1, counts.ended))
    }

    /// `12 of 240 messages (5 %)`
    private static func words(_ part: Int64, of counts: MinuteCounts.Minute) -> String {
        let percent = HumanFormat.rate(percent(part, of: counts))
        return "\(HumanFormat.grouped(part)) of \(HumanFormat.grouped(counts.ended)) messages (\(percent) %)"
    }
}
