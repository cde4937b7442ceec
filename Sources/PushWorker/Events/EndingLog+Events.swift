extension EndingLog {
    /// - Parameter claims: names the hub of a claim.
    func hear(_ event: LaneEvent, _ claims: OwnClaims) {
        guard case .ended(let outcome, let messages, let claim, _) = event, outcome.status.isBadEnding else { return }
        note(outcome, messages, of: claims.hub(of: claim)?.name ?? "unknown")
    }
}
