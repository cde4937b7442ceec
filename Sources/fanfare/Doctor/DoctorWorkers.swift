import CommandLineTool
import Postgres
import PushModel
import Store

/// Who works on this database, and whether messages can be sent now. Pure once it is read.
struct DoctorWorkers {
    let status: SystemStatus
    /// Messages that came to an end of their own in the last minutes, by hub.
    let ended: [String: Int64]
    /// Seconds a message may be due before it counts as stuck.
    let longestWait: Double

    /// Minutes over which `ended` counts.
    static let minutes = 5

    /// - Parameter hubs: names of the hubs asked about; empty: all of them.
    /// - Returns: nothing when the role may read neither the views nor what a worker reads.
    static func findings(_ database: Database, _ hubs: [String], longestWait: Double) async throws -> [Finding] {
        let access = try await RoleAccess.read(from: database)
        guard access.mayReadViews || access.mayWork else { return [] }
        let source: SystemStatus.Source = access.mayReadViews ? .views : .workerFunctions
        var status = try await SystemStatus.read(from: database, by: source, isExact: !access.mayReadViews)
        // Thousands that are decided long ago are no warning.
        if status.moreInDoubt { try await status.countDoubts(in: database) }
        let doctor = DoctorWorkers(
            status: status,
            ended: try await ResultCounts.ended(in: database, minutes: minutes, by: source), longestWait: longestWait)
        return doctor.findings(hubs)
    }

    func findings(_ hubs: [String]) -> [Finding] {
        workers + status.hubs.filter { hubs.isEmpty || hubs.contains($0.hub) }.flatMap(findings) + doubts
    }

    private var living: [SystemStatus.Worker] { status.workers.filter(\.alive) }

    private var workers: [Finding] {
        let area = "workers"
        guard !living.isEmpty else {
            return [.warn(area, "alive", "none", remedy: Remedies.noWorker)]
        }
        let silent = status.workers.filter { !$0.alive }
        let troubled = living.compactMap { worker in worker.trouble.map { "\(worker.name): \($0)" } }
        return [
            .ok(area, "alive", living.map { "\($0.name) (\($0.version))" }.joined(separator: ", ")),
            .list(
                area, "writing", troubled, none: "they can write", as: .fail,
                remedy: Remedies.cannotWrite),
            .list(
                area, "silent", silent.map { "\($0.name) since \(HumanFormat.duration($0.lastBeat))" }, none: "none",
                as: .warn,
                remedy: Remedies.silentWorker),
        ]
    }

    private func findings(_ hub: SystemStatus.Hub) -> [Finding] {
        [gate(hub), unserved(hub), oldest(hub), settings(hub)].compactMap(\.self)
            + DoctorDevices.findings(hub, longestWait: longestWait)
    }

    private func gate(_ hub: SystemStatus.Hub) -> Finding {
        let waits = hub.due == 0 ? "" : ", \(Self.messages(hub.due, hub.moreDue)) due"
        if hub.state == "open" { return .ok("hub \(hub.hub)", "gate", "open" + waits) }
        let why = hub.why ?? "no reason given"
        let reason = !waits.isEmpty && why.hasSuffix(".") ? String(why.dropLast()) : why
        return .warn("hub \(hub.hub)", "gate", "\(hub.state): \(reason)\(waits)", remedy: Remedies.state(of: hub))
    }

    /// Nothing can be sent: at once when other hubs are served, because then no worker will take it. Without any worker
    /// the next drain may be about to begin.
    private func unserved(_ hub: SystemStatus.Hub) -> Finding? {
        let pending = hub.due + hub.later
        guard let since = hub.unservedSince, pending > 0 else { return nil }
        let isStuck = hub.due > 0 && (!living.isEmpty || (hub.waiting ?? 0) > longestWait)
        let waiting = hub.waiting.map { ", the oldest due for \(HumanFormat.duration($0))" } ?? ""
        return Finding(
            area: "hub \(hub.hub)", name: "workers", grade: isStuck ? .fail : .warn,
            found: "none since \(since), \(Self.messages(pending, hub.moreDue || hub.moreLater)) pending\(waiting)",
            remedy: Remedies.unserved(hub))
    }

    /// A message has been due for longer than it should be. It fails unless others came to an end meanwhile, which a long
    /// backlog explains, or a person paused the hub.
    private func oldest(_ hub: SystemStatus.Hub) -> Finding? {
        guard let waiting = hub.waiting, waiting > longestWait, hub.unservedSince == nil else { return nil }
        let count = ended[hub.hub] ?? 0
        let lately = "\(count == 0 ? "no message" : HumanFormat.count(count, "message")) ended in \(Self.minutes) min"
        let isPaused = hub.state == "paused"
        return Finding(
            area: "hub \(hub.hub)", name: "oldest due", grade: count == 0 && !isPaused ? .fail : .warn,
            found: "for \(HumanFormat.duration(waiting)), more than \(HumanFormat.duration(longestWait)); \(lately)",
            remedy: Remedies.waiting(hub, isMoving: count > 0))
    }

    private func settings(_ hub: SystemStatus.Hub) -> Finding? {
        hub.differing.map {
            .warn(
                "hub \(hub.hub)", "settings", "\($0): not the registered ones, which backends are held to",
                remedy: Remedies.differingSettings)
        }
    }

    /// `1 message`, `10,000+ messages`.
    private static func messages(_ count: Int64, _ areMore: Bool) -> String {
        areMore ? HumanFormat.atLeast(count, "message") : HumanFormat.count(count, "message")
    }

    private var doubts: [Finding] {
        guard status.inDoubt > 0 else { return [] }
        return [
            .warn(
                "workers", "in doubt", HumanFormat.count(status.inDoubt, "message"),
                remedy: Remedies.doubts)
        ]
    }
}
