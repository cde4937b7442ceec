import PushModel
import Store

/// Changes of devices at a hub.
struct HubDevicesView {
    let gateState: String
    let gateLook: String
    let gateWhy: String?
    let gateUntil: UntilView?
    /// How many were refused in the last day: `3`, `50+`.
    let gateRefused: String
    let refusedAddress: String
    let waitingAddress: String
    /// nil: nothing waits for the hub, or the person may not act.
    let tryingDevices: ActionLink?

    /// nil: the hub is not registered any more.
    init?(_ hub: String, _ devices: HubDevices, for visit: Visit) {
        guard let gate = devices.gate else { return nil }
        gateState = gate.state
        gateLook =
            switch gate.state {
            case "open": "good"
            case "paused": "off"
            default: "waits"
            }
        gateWhy = gate.why
        gateUntil = gate.until.flatMap { UntilView($0, at: visit.now) }
        gateRefused = "\(devices.refused)\(devices.hasMore ? "+" : "")"
        refusedAddress = visit.address("devices", fields: [("hub", hub), ("status", "refused"), ("since", "24h")])
        tryingDevices =
            gate.state == "closed" ? ActionLink(TryDevicesAction(hub: hub), "Try devices again", for: visit) : nil
        waitingAddress = visit.address("devices", fields: [("hub", hub), ("status", "waiting")])
    }
}
