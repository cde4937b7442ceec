import Providers

/// What a hub's answers say about how fast it is: its throughput, how long it takes, and whether a slow-down may end.
enum HubPace {
    static func hear(_ event: LaneEvent) {
        guard case .settled(let answered, let hub, let now) = event else { return }
        let accepted = answered.count { $0.answer.verdict == .accepted }
        if accepted > 0 { hub.throttlePolicy.withLock { $0.accepted(accepted, now: now) } }
        let withStatus = answered.filter { $0.answer.status != nil }
        hub.latency.answered(withStatus.map(\.answer.milliseconds), now: now)
        hub.throughput.answered(
            withStatus.count, messages: withStatus.reduce(0) { $0 + $1.messages.count }, now: now)
    }
}
