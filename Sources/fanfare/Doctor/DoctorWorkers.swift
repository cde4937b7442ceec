import CommandLineTool
import Postgres
import Store

/// Who works on this database, and whether each hub takes posts now.
enum DoctorWorkers {
    /// - Parameter hubs: names of the hubs asked about; empty: all of them.
    static func findings(_ database: Database, _ hubs: [String]) async throws -> [DoctorFinding] {
        let overview = try await SystemStatus.read(from: database)
        return workers(overview.workers)
            + overview.hubs.filter { hubs.isEmpty || hubs.contains($0.hub) }.flatMap { [gate($0)] + service(of: $0) }
            + doubts(overview.inDoubt)
    }

    private static func workers(_ workers: [SystemStatus.Worker]) -> [DoctorFinding] {
        let area = "workers"
        let silent = workers.filter { !$0.alive }
        guard workers.count > silent.count else {
            return [.warn(area, "alive", "none", remedy: "Start one: fanfare run. Until then messages wait.")]
        }
        let names = workers.filter(\.alive).map { "\($0.name) (\($0.version))" }
        return [
            .ok(area, "alive", names.joined(separator: ", ")),
            .list(
                area, "silent", silent.map { "\($0.name) since \(HumanFormat.duration($0.lastBeat))" }, none: "none",
                as: .warn,
                remedy: "The others rescue what it holds after one lease; if it runs, see its log."),
        ]
    }

    private static func gate(_ hub: SystemStatus.Hub) -> DoctorFinding {
        let waits = hub.due == 0 ? "" : ", \(HumanFormat.count(hub.due, "message")) due"
        if hub.state == "open" { return .ok("hub \(hub.hub)", "gate", "open" + waits) }
        return .warn(
            "hub \(hub.hub)", "gate", "\(hub.state): \(hub.why ?? "no reason given")\(waits)",
            remedy: remedy(for: hub))
    }

    private static func service(of hub: SystemStatus.Hub) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let pending = hub.due + hub.later
        if let since = hub.unservedSince, pending > 0 {
            findings.append(
                .warn(
                    "hub \(hub.hub)", "workers",
                    "none since \(since), \(HumanFormat.count(pending, "message")) pending",
                    remedy: "Start a worker that has the hub in its settings, or stop the messages: "
                        + "fanfare messages cancel --hub \(hub.hub)"))
        }
        if let differing = hub.differing {
            findings.append(
                .warn(
                    "hub \(hub.hub)", "settings", "\(differing): not the registered ones, which backends are held to",
                    remedy: "Run fanfare migrate up where the settings are right, and give them to the other workers."))
        }
        return findings
    }

    private static func remedy(for hub: SystemStatus.Hub) -> String {
        switch hub.state {
        case "gate closed": "It opens by itself; sooner with: fanfare hub open-gate \(hub.hub)"
        case "failing":
            "It is tried again by itself, at least every 30 s. Look at the network between here and the hub."
        default: "When that is mended: fanfare hub resume \(hub.hub)"
        }
    }

    private static func doubts(_ count: Int64) -> [DoctorFinding] {
        count == 0
            ? []
            : [
                .warn(
                    "workers", "in doubt", HumanFormat.count(count, "message"),
                    remedy: "Decide about each: fanfare doubt list")
            ]
    }
}
