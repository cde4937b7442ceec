import PushModel
import Store

/// Messages that have been due for too long, though their hub takes posts and somebody serves it.
enum WaitProblems {
    /// Seconds for which a message may be due.
    static let longestWait = 300.0
    /// The same for a message of priority 0, such as a login code.
    static let longestUrgentWait = 30.0

    static func of(_ rows: OverviewRows) -> [Problem] {
        guard let pulse = rows.pulse.value else { return [] }
        let lanes = Dictionary(grouping: pulse.pulse.lanes, by: \.hub)
        return rows.countedHubs.flatMap { hub -> [Problem] in
            // Of the others their own problem says that messages wait.
            guard hub.unservedSince == nil, !["paused", "held"].contains(hub.state) else { return [] }
            let (urgent, others) = (lanes[hub.hub] ?? []).split { $0.priority == 0 }
            return [
                problem(urgent, hub, .urgentWaits, longerThan: longestUrgentWait, rows, takenAt: pulse.takenAt),
                problem(others, hub, .messagesWait, longerThan: longestWait, rows, takenAt: pulse.takenAt),
            ].compactMap(\.self)
        }
    }

    private static func problem(
        _ lanes: [DatabasePulse.Lane], _ hub: SystemStatus.Hub, _ kind: Problem.Kind, longerThan limit: Double,
        _ rows: OverviewRows, takenAt: Double
    ) -> Problem? {
        guard let waiting = lanes.compactMap(\.waiting).max(), waiting > limit else { return nil }
        let due = lanes.reduce(0) { $0 + $1.due }
        let ended = rows.counts(of: hub.hub)?.sum(ofLast: 5).ended ?? 0
        return Problem(
            kind: kind, severity: .critical, since: takenAt - waiting,
            what: kind == .urgentWaits
                ? "An urgent message of hub \(hub.hub) waits" : "Messages of hub \(hub.hub) wait",
            why: "\(OverviewText.messages(due, more: lanes.contains(where: \.moreDue))) due, the oldest for more than "
                + "\(HumanFormat.duration(limit)); \(ended == 0 ? "none" : "\(HumanFormat.grouped(ended))") ended in 5 min",
            todo: Remedies.waiting(hub, isMoving: ended > 0), link: .hub(hub.hub), hub: hub.hub)
    }
}

extension Array {
    /// Those for which it holds, and the others, in their order.
    fileprivate func split(by holds: (Element) -> Bool) -> (Self, Self) { (filter(holds), filter { !holds($0) }) }
}
