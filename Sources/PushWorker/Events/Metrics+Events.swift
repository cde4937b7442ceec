extension WorkerMetrics {
    /// - Parameter claims: names the hub of a claim.
    func hear(_ event: LaneEvent, _ claims: OwnClaims) {
        switch event {
        case .claimed(let claim, let hub, _, let began, let now):
            claiming.observe(now - began)
            hub.metrics.claimed(claim.messages.count)
        case .foundNothing(_, let began, let now): claiming.observe(now - began)
        case .intended(_, _, _, let began, let now, isWritten: true): writingIntents.observe(now - began)
        case .answered(_, let flight, let answer, _, let hub, let priority, let now):
            hub.metrics.answered(answer, messages: flight.messages.count)
            if answer.verdict == .accepted { hub.metrics.accepted(flight.due, priority, now: now) }
        case .tokenRefused(let hub): hub.metrics.tokenRefused()
        case .recorded(_, let began, let now): completing.observe(now - began)
        case .recordingFailed(_, let error, _): if !error.isAboutValues { recorderFaults.add() }
        case .ended(let outcome, let messages, let claim, isFenced: false):
            // Of a claim that was rescued no outcome is written: its messages are another worker's.
            claims.hub(of: claim)?.ended(outcome, messages: messages.count)
        default: break
        }
    }
}
