import PushModel
import Store

/// Runs of campaigns that stand, and those that came to nothing.
enum RunProblems {
    static func of(_ rows: OverviewRows) -> [Problem] {
        let open = rows.runs.value ?? []
        return open.compactMap(paused) + [others(rows, seen: open)].compactMap(\.self) + open.compactMap(unserved)
            + (rows.failedRuns.value ?? []).map(failed)
    }

    /// Whether nobody paused it: `push.pause_run` says who did.
    private static func isPausedByItself(_ run: RunProgress) -> Bool {
        run.state == .paused && !(run.why ?? "").hasPrefix("paused by ")
    }

    private static func paused(_ run: RunProgress) -> Problem? {
        guard isPausedByItself(run) else { return nil }
        return Problem(
            kind: .runPaused, severity: .warning, since: Moment.seconds(run.stateSince),
            what: "Run \(run.key) of campaign \(run.campaign) paused itself", why: run.why ?? "no reason given",
            todo: "Nothing of it is sent until somebody decides: fanfare campaign resume \(run.campaign), or "
                + "fanfare campaign cancel \(run.campaign)",
            link: .run(run.key, of: run.campaign))
    }

    /// The list of open runs stops; the pulse counts all.
    private static func others(_ rows: OverviewRows, seen: [RunProgress]) -> Problem? {
        guard seen.count >= Int(OverviewRows.mostRuns), let all = rows.pulse.value?.pulse.runsPausedByThemselves else {
            return nil
        }
        let more = Int(all) - seen.count(where: isPausedByItself)
        guard more > 0 else { return nil }
        return Problem(
            kind: .runPaused, severity: .warning, what: "\(HumanFormat.count(more, "older run")) paused by themselves",
            why: "this page lists the newest \(OverviewRows.mostRuns) runs",
            todo: "See them: fanfare campaign list --state paused",
            link: .init(path: ["campaigns"], fields: ["state": "paused"], name: "Campaigns"))
    }

    private static func unserved(_ run: RunProgress) -> Problem? {
        guard run.state == .running || run.state == .canary, !run.unserved.isEmpty else { return nil }
        return Problem(
            kind: .runUnserved, severity: .warning,
            what: "Run \(run.key) of campaign \(run.campaign) waits for a worker",
            why: "no worker serves \(run.unserved.joined(separator: ", "))",
            todo: "Start a worker that has these hubs in its settings.", link: .run(run.key, of: run.campaign))
    }

    private static func failed(_ run: CampaignStore.FailedRun) -> Problem {
        Problem(
            kind: .runFailed, severity: .warning, since: Moment.seconds(run.endedAt),
            what: "Nothing of run \(run.key) of campaign \(run.campaign) was sent",
            why: run.why ?? "every message failed",
            todo: "See the reasons: fanfare campaign status \(run.campaign)", link: .run(run.key, of: run.campaign))
    }
}
