import Pages
import PushModel
import Store

/// The hubs of a run, and whether workers serve them. Pure.
struct RunHubsView {
    struct Hub {
        let hubName: String
        /// nil: the person may not see it.
        let hubAddress: String?
        let hubWorkers: String
        let hubLook: String
        let hubMade: String
        let hubAudience: String
    }

    let hubs: [Hub]
    let hasHubs: Bool

    /// - Parameter isOver: a run that is over waits for no worker.
    init(_ hubs: [RunHub], isOver: Bool, for visit: Visit) {
        self.hubs = hubs.map { hub in
            Hub(
                hubName: hub.hub, hubAddress: visit.existing(["hubs", hub.hub]),
                hubWorkers: hub.workers == 0 ? "no worker" : HumanFormat.count(hub.workers, "worker"),
                hubLook: (hub.workers > 0 ? StateLook.good : isOver ? .off : .bad).rawValue,
                hubMade: HumanFormat.grouped(hub.expanded), hubAudience: hub.isExpanded ? "all" : "not all yet")
        }
        hasHubs = !hubs.isEmpty
    }
}
