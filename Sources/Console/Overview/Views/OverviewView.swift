import PushModel
import Store

/// The first page: problems, hubs, runs and workers. Pure.
struct OverviewView {
    /// `2 critical, 1 warning`; what there is to know in one line.
    let summary: String
    /// Of its badge.
    let summaryClass: String
    let problems: [ProblemView]

    let hubsAreRead: Bool
    let hubs: [HubRowView]
    /// `these 50 of 341 hubs: the worst first`
    let hubsWords: String
    /// `291 well`; empty: none is left out.
    let hubsMore: String
    let hubsMoreAddress: String
    /// Of the next page of all hubs; empty: it is the last one.
    let hubsNextAddress: String
    /// Back to the worst ones; empty: they are shown.
    let hubsWorstAddress: String
    let isWithoutHubs: Bool

    let runsAreRead: Bool
    let hasRuns: Bool
    let runs: [RunRowView]
    let runsWords: String

    let workersAreRead: Bool
    let hasWorkers: Bool
    let workers: [WorkerRowView]

    init(_ rows: OverviewRows, _ selection: HubSelection, for visit: Visit) {
        let found = Problems.of(rows, for: visit.person.name, now: visit.now)
        (summary, summaryClass) = Self.summary(of: found, isComplete: rows.troubles.isEmpty)
        problems = Problems.folded(found).map { ProblemView($0, for: visit) }

        let all = rows.countedHubs
        var severities: [String: Problem.Severity] = [:]
        for problem in found {
            guard let hub = problem.hub else { continue }
            severities[hub] = min(severities[hub] ?? problem.severity, problem.severity)
        }
        let shown = selection.shown(of: all, severities)
        let counts = Dictionary((rows.minutes.value ?? []).map { ($0.hub, $0) }) { first, _ in first }
        hubsAreRead = rows.hubs.value != nil
        hubs = shown.hubs.map { hub in
            HubRowView(
                hub, pulseAt: rows.pulse.value?.takenAt, counts[hub.hub], isTimed: rows.minutes.value != nil, for: visit
            )
        }
        hubsWords = Self.words(shown, of: all.count, selection)
        hubsMore = Self.more(shown)
        hubsMoreAddress = visit.address(fields: [("all", "1")])
        hubsNextAddress = shown.next.map { visit.address(fields: [("all", "1"), ("after", $0)]) } ?? ""
        hubsWorstAddress = selection.all ? visit.address() : ""
        isWithoutHubs = hubsAreRead && all.isEmpty

        runsAreRead = rows.runs.value != nil
        runs = (rows.runs.value ?? []).map { RunRowView($0, for: visit) }
        hasRuns = !runs.isEmpty
        runsWords =
            runs.count == Int(OverviewRows.mostRuns)
            ? "the newest \(OverviewRows.mostRuns)" : HumanFormat.count(runs.count, "run")

        workersAreRead = rows.workers.value != nil
        workers = (rows.workers.value ?? []).map { WorkerRowView($0, for: visit) }
        hasWorkers = !workers.isEmpty
    }

    private static func summary(of problems: [Problem], isComplete: Bool) -> (String, String) {
        let counts = Problem.Severity.allCases.map { severity in problems.count { $0.severity == severity } }
        let words = zip(counts, ["critical", "warning", "for a person to decide"]).compactMap { count, word in
            count == 0 ? nil : "\(count) \(word)\(word == "warning" && count > 1 ? "s" : "")"
        }
        guard words.isEmpty else {
            return (words.joined(separator: ", "), counts[0] > 0 ? "bad" : counts[1] > 0 ? "waits" : "off")
        }
        return isComplete
            ? ("All is well, as far as rows tell", "good")
            : ("Nothing is known to be wrong, and not all could be read", "waits")
    }

    private static func words(_ shown: HubSelection.Shown, of all: Int, _ selection: HubSelection) -> String {
        guard shown.hubs.count < all else { return HumanFormat.count(all, "hub") }
        return "these \(shown.hubs.count) of \(all) hubs\(selection.all ? ", by name" : ", the worst first")"
    }

    private static func more(_ shown: HubSelection.Shown) -> String {
        [
            shown.badOmitted > 0 ? "\(shown.badOmitted) more that are not" : nil,
            shown.wellOmitted > 0 ? "\(shown.wellOmitted) well" : nil,
        ].compactMap(\.self).joined(separator: ", ")
    }
}
