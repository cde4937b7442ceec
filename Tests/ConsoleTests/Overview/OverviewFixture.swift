import Postgres
import PushModel

@testable import Console
@testable import Store

/// Rows of an installation where all is well: tests spoil one of them.
enum OverviewFixture {
    /// Seconds since 1970, of every look.
    static let now = 1_800_000_000.0

    static func ago(_ seconds: Double) -> String { HumanFormat.time(secondsSince1970: now - seconds) }

    static func hub(_ name: String = "news", _ change: (inout SystemStatus.Hub) -> Void = { _ in }) -> SystemStatus.Hub
    {
        var hub = SystemStatus.Hub(
            hub: name, kind: "notification-hubs", state: "open", due: 0, later: 0, workers: 1, key: "primary",
            window: 64, inFlight: 12, answersPerSecond: 3)
        change(&hub)
        return hub
    }

    static func worker(
        _ name: String = "here/1", _ change: (inout SystemStatus.Worker) -> Void = { _ in }
    ) -> SystemStatus.Worker {
        var worker = SystemStatus.Worker(
            id: 1, name: name, version: "1.4.0", lastBeat: 1, alive: true, doing: "sends", claims: 2, messages: 1_200,
            beatAt: ago(1))
        change(&worker)
        return worker
    }

    static func lane(
        _ hub: String = "news", priority: Int = 1, due: Int64 = 0, more: Bool = false, later: Int64 = 0,
        waiting: Double? = nil
    ) -> DatabasePulse.Lane {
        DatabasePulse.Lane(
            hub: hub, priority: priority, due: due, moreDue: more, later: later, moreLater: false, waiting: waiting)
    }

    static func pulse(
        _ lanes: [DatabasePulse.Lane] = [], _ change: (inout DatabasePulse) -> Void = { _ in }
    ) -> LatestPulse {
        // As the database writes it: a pulse is read, never made.
        let text = """
            {"hubs": [], "lanes": [], "in_doubt": [], "more_in_doubt": false, "workers": {"alive": 1, "silent": 0, "oldest_beat": 1},
             "default_rows": 0, "devices": [], "campaigns_unapproved": 0, "runs": [], "runs_omitted": 0,
             "runs_paused_by_themselves": 0, "snapshot_held": 0, "results_held": 0}
            """
        // Whatever is wrong with a text of ours ends the test.
        guard var pulse = try? DatabasePulse(json: text) else { preconditionFailure("the text of a pulse") }
        pulse.lanes = lanes
        change(&pulse)
        return LatestPulse(pulse: pulse, takenAt: now, workersTookAt: now)
    }

    static func run(_ change: (inout RunProgress) -> Void = { _ in }) -> RunProgress {
        var run = RunProgress(
            campaign: "spring", key: "2027-01-15", state: .running, expanded: 4_000, total: 10_000, isExpanded: false,
            accepted: 3_000, rejected: 20, expired: 0, cancelled: 0, inDoubt: 0, underWay: 100, pending: 880,
            suppressed: 0, reasons: "{}", perSecond: 120, eta: 50, revision: 1, took: 30, startedAt: ago(30),
            startedBy: "anna", unserved: [])
        change(&run)
        return run
    }

    static func rows(_ change: (inout OverviewRows) -> Void = { _ in }) -> OverviewRows {
        var rows = OverviewRows(
            hubs: .read([hub()]), workers: .read([worker()]), pulse: .read(pulse()), minutes: .read([]),
            runs: .read([]),
            schedules: .read([]), failedRuns: .read([]),
            findings: .read([.ok("database", "locks", "nobody waits for one")]),
            snapshots: .read([]), server: .read([]), schema: .read(.current(Schema.release)))
        change(&rows)
        return rows
    }

    static func problems(_ rows: OverviewRows, for person: String = "Ann") -> [Problem] {
        Problems.of(rows, for: person, now: now)
    }

    /// Problems of rows with one spoiled hub.
    static func problems(of hub: SystemStatus.Hub, _ change: (inout OverviewRows) -> Void = { _ in }) -> [Problem] {
        problems(
            rows {
                $0.hubs = .read([hub])
                change(&$0)
            })
    }

    static func visit(_ person: Person = Person("Ann", rights: Set(Right.allCases))) -> Visit {
        Visit(person: person, options: ConsoleOptions(), now: now)
    }

    /// The page as HTML.
    static func html(_ rows: OverviewRows, _ hubs: HubSelection = HubSelection()) -> String {
        ConsoleTemplates.bare(OverviewView(rows, hubs, for: visit()), "overview")
    }
}
