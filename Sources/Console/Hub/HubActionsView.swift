import Pages
import PushModel
import Store

/// What a person can do to a hub: the buttons that would do something in its state, and the form of its rate.
struct HubActionsView {
    let buttons: [ActionLink]
    let rateAddress: String
    let rateHub: String
    /// What stands in the field: the rate that a person set.
    let rateText: String

    /// - Returns: nil: the person may not act, or nobody may here.
    init?(_ hub: String, _ health: HubHealth, for visit: Visit) {
        guard visit.canAct(.operate) else { return nil }
        var actions: [(any ConsoleAction, String)] = []
        if health.state == "paused" || health.state == "held" || health.state == "failing" {
            actions.append((ResumeHubAction(hub: hub), "Resume"))
        }
        if health.state != "paused" { actions.append((PauseHubAction(hub: hub), "Pause")) }
        if health.state == "gate closed" { actions.append((OpenGateAction(hub: hub), "Open the gate")) }
        if health.workers > 0 { actions.append((RotateHubAction(hub: hub), "Use the other key")) }
        buttons = actions.compactMap { ActionLink($0, $1, for: visit) }
        rateAddress = visit.address("act", SetHubRateAction.name)
        rateHub = hub
        rateText = health.isRateSet ? health.rate.map { HumanFormat.rate($0) } ?? "none" : ""
    }
}
