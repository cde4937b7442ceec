import PushModel
import Store

/// Whether it takes posts.
struct HubStateView {
    let stateWord: String
    let stateLook: String
    let stateSince: SinceView?
    /// Of an open hub: when a gate, pause or hold last began or ended.
    let stateChanged: SinceView?
    let stateWhy: String?
    let stateMeans: String?
    let stateEnds: String?
    let stateGate: UntilView?
    let stateProbe: UntilView?
    let stateUnserved: SinceView?
    let stateWorkers: String
    let stateDiffering: String?
    let stateKind: String

    init(_ health: HubHealth, at now: Double) {
        let advice = HubAdvice(health.state)
        stateWord = health.state
        stateLook = advice.look.rawValue
        // A gate opens by itself, so nobody knows since when a hub is open.
        let since = health.since.flatMap { SinceView($0, at: now) }
        stateSince = health.state == "open" ? nil : since
        stateChanged = health.state == "open" ? since : nil
        stateWhy = health.why
        stateMeans = advice.means
        stateEnds = advice.ends
        stateGate = health.gateUntil.flatMap { UntilView($0, at: now) }
        stateProbe = health.nextProbe.flatMap { UntilView($0, at: now) }
        stateUnserved = health.unservedSince.flatMap { SinceView($0, at: now) }
        stateWorkers = HumanFormat.count(health.workers, "worker")
        stateDiffering = health.differing
        stateKind = HubKind(rawValue: health.kind)?.facts.label ?? health.kind
    }
}
