import PushModel
import Store

/// What is wrong with the database itself: what `fanfare doctor` finds there without asking a hub.
enum DatabaseProblems {
    /// Seconds after which workers should have taken a pulse; they do every 15 s.
    static let longestPulse = 120.0

    static func of(_ rows: OverviewRows, now: Double) -> [Problem] {
        (rows.server.value ?? []).compactMap(problem) + (rows.findings.value ?? []).compactMap(problem)
            + snapshots(rows) + [defaultRows(rows), pulse(rows, now: now)].compactMap(\.self)
    }

    private static func problem(_ finding: Finding) -> Problem? {
        guard finding.grade == .warn || finding.grade == .fail else { return nil }
        return Problem(
            kind: .database, severity: finding.grade == .fail ? .critical : .warning,
            since: Moment.seconds(finding.since),
            what: "Database: \(finding.name)", why: finding.found, todo: finding.remedy ?? "")
    }

    private static func snapshots(_ rows: OverviewRows) -> [Problem] {
        // Sessions that the owner may not see say nothing about themselves.
        let holders = (rows.snapshots.value ?? []).filter { $0.kind != "hidden" }
        return DatabaseFindings.snapshots(holders).compactMap(problem).map { problem in
            var problem = problem
            problem.kind = .snapshot
            return problem
        }
    }

    private static func defaultRows(_ rows: OverviewRows) -> Problem? {
        guard let count = rows.pulse.value?.pulse.defaultRows, count > 0 else { return nil }
        return Problem(
            kind: .defaultPartition, severity: .warning,
            what: "\(HumanFormat.count(count, "row")) \(count == 1 ? "lies" : "lie") in a DEFAULT partition",
            why: "a partition was not made in time: everything works, but it gets slower",
            todo: "As a member of push_operator: SELECT push.make_partitions(); SELECT push.empty_default_partitions();"
        )
    }

    private static func pulse(_ rows: OverviewRows, now: Double) -> Problem? {
        guard let pulse = rows.pulse.value, let taken = pulse.workersTookAt, now - taken > longestPulse,
            // Those that have just begun have had no time for it.
            let workers = rows.workers.value, workers.contains(where: \.alive)
        else { return nil }
        return Problem(
            kind: .pulse, severity: .warning, since: taken, what: "Workers cannot look at the backlog",
            why:
                "none of them has counted what waits for more than \(HumanFormat.duration(longestPulse)), so their metrics miss it",
            todo: "See their log for the reason: a database that is overloaded, or dead rows behind an old snapshot.")
    }
}
