import Pages
import PushModel
import Store

/// What a run was told to keep to: canary, window, thresholds. Pure.
struct RunBoundsView {
    let boundsCanary: String?
    let boundsCanaryState: String
    let boundsCanaryJudged: SinceView?
    let boundsWindow: String?
    let boundsStopWhen: String?
    let boundsRamp: String?
    let boundsEnd: MomentView?

    /// - Returns: nil: it has no bounds.
    init?(_ bounds: RunBounds, state: RunState, at now: Double) {
        guard
            bounds.canary != nil || bounds.window != nil || bounds.stopWhen != nil || bounds.ramp != nil
                || bounds.endsAt != nil
        else { return nil }
        boundsCanary = bounds.canary
        let size =
            bounds.canarySize.map { "\(HumanFormat.grouped($0)) recipients first" } ?? "its size is not known yet"
        let judged =
            bounds.canaryJudgedAt != nil
            ? "judged" : state.isOver || state == .cancelling ? "not judged" : "the rest waits for their results"
        boundsCanaryState = "\(size); \(judged)"
        boundsCanaryJudged = bounds.canaryJudgedAt.flatMap { SinceView($0, at: now) }
        boundsWindow = bounds.window
        boundsStopWhen = bounds.stopWhen
        boundsRamp = bounds.ramp.map { HumanFormat.duration($0) }
        boundsEnd = bounds.endsAt.map(\.secondsSince1970).flatMap { $0.isFinite ? MomentView($0) : nil }
    }
}
