import Store

/// A hub that no worker serves, or that one serves with other settings than registered.
enum HubServiceProblems {
    static func of(_ rows: OverviewRows) -> [Problem] {
        let isAnyAlive = rows.workers.value?.contains(where: \.alive) ?? false
        return rows.countedHubs.compactMap { unserved($0, isAnyAlive: isAnyAlive) }
            + rows.countedHubs.compactMap(differing)
    }

    /// At once critical where other hubs are served, because then no worker will take it. Without any worker the next drain may be
    /// about to begin.
    private static func unserved(_ hub: SystemStatus.Hub, isAnyAlive: Bool) -> Problem? {
        let pending = hub.due + hub.later
        guard let since = hub.unservedSince, pending > 0 else { return nil }
        let isStuck = hub.due > 0 && (isAnyAlive || (hub.waiting ?? 0) > WaitProblems.longestWait)
        return Problem(
            kind: .unserved, severity: isStuck ? .critical : .warning, since: Moment.seconds(since),
            what: "No worker serves hub \(hub.hub)",
            why: "\(OverviewText.messages(pending, more: hub.moreDue || hub.moreLater)) wait for one",
            todo: Remedies.unserved(hub), link: .hub(hub.hub), hub: hub.hub)
    }

    private static func differing(_ hub: SystemStatus.Hub) -> Problem? {
        guard let workers = hub.differing else { return nil }
        return Problem(
            kind: .differing, severity: .warning, what: "Hub \(hub.hub) has other settings at a worker",
            why: "\(workers): not the registered ones, which backends are held to", todo: Remedies.differingSettings,
            link: .hub(hub.hub), hub: hub.hub)
    }
}
