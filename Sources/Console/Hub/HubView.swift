import Store

/// What `/hubs/NAME` shows: the template `hub`. A part that could not be read is left out; a banner says why.
struct HubView {
    let hubState: HubStateView?
    let hubActions: HubActionsView?
    let hubSending: HubSendingView?
    let hubResults: HubResultsView?
    let hubWorkers: HubWorkersView?
    let hubDevices: HubDevicesView?
    let hubSettings: HubSettingsView?

    init(_ name: String, _ rows: HubRows, for visit: Visit) {
        let health = rows.health.value ?? nil
        hubState = health.map { HubStateView($0, at: visit.now) }
        hubActions = health.flatMap { HubActionsView(name, $0, for: visit) }
        hubSending = health.map { HubSendingView($0, at: visit.now) }
        hubResults = rows.results.value.map { HubResultsView($0) }
        hubWorkers = rows.workers.value.map { HubWorkersView($0, at: visit.now) }
        hubDevices = rows.devices.value.flatMap { HubDevicesView(name, $0, for: visit) }
        hubSettings = rows.settings.value.map { HubSettingsView($0, differing: health?.differing) }
    }
}
