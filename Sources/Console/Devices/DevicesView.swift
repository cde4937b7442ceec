import Pages
import PushModel
import Store

/// What `/devices` shows: the template `devices`.
struct DevicesView {
    struct Change {
        let changeID: String
        let changeDevice: String
        /// The page with all changes of this device.
        let deviceAddress: String
        let changeHub: String
        let hubAddress: String
        let changeAction: String
        let changeStatus: String
        let changeLook: String
        let changeAsked: SinceView?
        let changeSince: SinceView?
        let changeNext: MomentView?
        let changeHTTP: String?
        /// What happened, in our words or else the hub's.
        let changeNote: String?
        let changeTracking: String?
        let changeWorker: String?
        let changeBy: String
    }

    let filters: FilterFormView
    /// nil: nothing was looked for, or it could not be read.
    let found: Found?

    struct Found {
        let changes: [Change]
        let hasChanges: Bool
        let turns: TurnsView
        /// nil: no hub is chosen, or the person may not act.
        let cancelling: ActionLink?
    }

    /// - Parameters:
    ///   - changes: one more than a page has, where there are more. nil: not known.
    ///   - before: below which id the page begins.
    ///   - hub: the one that is asked for; nil: every hub.
    init(
        _ form: FilterForm, _ changes: [DeviceSearch.Change]?, before: Int64?, hub: String? = nil, for visit: Visit
    ) {
        filters = FilterFormView(form, address: visit.address("devices"))
        found = changes.map { changes in
            let page = KeysetPage(changes, id: \.id)
            return Found(
                changes: page.rows.map { Self.change($0, for: visit) }, hasChanges: !page.rows.isEmpty,
                turns: TurnsView(page, "changes", before: before) {
                    visit.address("devices", fields: form.query(before: $0))
                },
                cancelling: hub.flatMap {
                    ActionLink(CancelDevicesAction(hub: $0), "Cancel what waits at this hub", for: visit)
                })
        }
    }

    private static func change(_ change: DeviceSearch.Change, for visit: Visit) -> Change {
        // PostgreSQL wrote the times, as ISO 8601.
        let next = change.nextTry.flatMap(Expiry.init)?.seconds
        func since(_ time: String) -> SinceView? {
            Expiry(time).map { SinceView(secondsSince1970: $0.seconds, at: visit.now) }
        }
        return Change(
            changeID: "\(change.id)", changeDevice: change.device,
            deviceAddress: visit.address("devices", fields: [("device", change.device), ("since", "5000w")]),
            changeHub: change.hub, hubAddress: visit.address("hubs", change.hub), changeAction: change.action,
            changeStatus: change.status, changeLook: StatusLook.of(change.status).rawValue,
            changeAsked: since(change.at), changeSince: since(change.since), changeNext: next.map { MomentView($0) },
            changeHTTP: change.http.map { "\($0)" }, changeNote: change.note ?? change.error,
            changeTracking: change.trackingID, changeWorker: change.worker, changeBy: change.changedBy)
    }
}
