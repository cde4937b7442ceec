extension OwnClaims {
    /// The last listener to get `recorded`: others find the hub of a claim here.
    func hear(_ event: LaneEvent) {
        switch event {
        case .claimed(let claim, let hub, _, _, _): learn(claim.id, of: hub.metrics)
        case .recorded(let written, _, _): forget(written.finished)
        default: break
        }
    }
}
