import PushModel

/// What is recorded for a message: a row of `push.result`, and for `retrying` also a pointer in `push.due`.
public struct MessageOutcome: Sendable, Equatable {
    public var status: Status
    public var reason: Reason
    /// Attempts it costs; only for `retrying`.
    public var cost: Int16
    /// Seconds from now, by the database's clock, until it is due again; only for `retrying`.
    public var delay: Double?
    /// For people: what was wrong and what to do.
    public var note: String?

    public init(_ status: Status, _ reason: Reason, note: String? = nil) {
        self.status = status
        self.reason = reason
        self.cost = 0
        self.note = note
    }

    public static func retrying(_ reason: Reason, after delay: Double, cost: Int16, note: String? = nil)
        -> MessageOutcome
    {
        var outcome = MessageOutcome(.retrying, reason, note: note)
        outcome.delay = delay
        outcome.cost = cost
        return outcome
    }
}
