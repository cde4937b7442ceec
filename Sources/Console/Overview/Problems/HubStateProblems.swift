import PushModel
import Store

/// A hub that takes no posts now.
enum HubStateProblems {
    static func of(_ rows: OverviewRows) -> [Problem] {
        rows.countedHubs.compactMap { hub in
            guard let (kind, severity, what) = standing(hub, rows) else { return nil }
            return Problem(
                kind: kind, severity: severity,
                // `since` is of gate, pause, breaker and hold; a pass has no time of its own.
                since: kind == .noPass ? nil : Moment.seconds(hub.since), what: "Hub \(hub.hub) \(what)",
                why: (hub.why ?? "no reason given").withoutFullStop + waits(hub), todo: todo(hub), link: .hub(hub.hub),
                hub: hub.hub)
        }
    }

    /// Nil: it is open.
    private static func standing(
        _ hub: SystemStatus.Hub, _ rows: OverviewRows
    ) -> (Problem.Kind, Problem.Severity, String)? {
        switch hub.state {
        case "held": (.held, .critical, "is held: it refuses us")
        case "failing":
            // Some posts of some workers may get through meanwhile.
            (.failing, isMoving(hub, rows) ? .warning : .critical, "cannot be reached")
        case "gate closed": (.gateClosed, .warning, "asks to wait")
        case "no pass": (.noPass, .critical, "has no access token")
        case "paused": (.paused, hub.due > 0 ? .warning : .decision, "is paused")
        case "open": nil
        // A word of a newer schema.
        default: (.failing, .warning, "is \(hub.state)")
        }
    }

    private static func isMoving(_ hub: SystemStatus.Hub, _ rows: OverviewRows) -> Bool {
        (rows.counts(of: hub.hub)?.sum(ofLast: 10).accepted ?? 0) > 0
    }

    private static func waits(_ hub: SystemStatus.Hub) -> String {
        hub.due > 0 ? "; \(OverviewText.messages(hub.due, more: hub.moreDue)) due" : ""
    }

    private static func todo(_ hub: SystemStatus.Hub) -> String {
        guard hub.state == "gate closed", let until = hub.gateUntil else { return Remedies.state(of: hub) }
        return "\(Remedies.state(of: hub)) (by itself at \(HumanFormat.toSeconds(until)))"
    }
}
