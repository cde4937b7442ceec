/// What faults do to the hub itself for one call, rather than to its answer.
struct FaultEffects: Sendable, Equatable {
    /// Added to the clock that dates the answer and judges the token.
    var skewSeconds = 0.0
    /// Keys that are no longer the ones the senders know. nil: all are.
    var rotated: Fault.Keys?
}
