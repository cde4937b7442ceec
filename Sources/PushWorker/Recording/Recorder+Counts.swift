import Store

extension Recorder {
    /// What was written since the start: messages, and posts.
    struct Counts: Sendable {
        var accepted = 0
        var rejected = 0
        var expired = 0
        var inDoubt = 0
        var retrying = 0
        var posts = 0

        mutating func add(_ outcome: MessageOutcome, _ messages: Int) {
            switch outcome.status {
            case .accepted: accepted += messages
            case .rejected: rejected += messages
            case .expired: expired += messages
            case .inDoubt: inDoubt += messages
            default: retrying += messages
            }
        }
    }

    /// What only this process knows, and how writing it goes.
    struct Backlog: Sendable {
        /// Answers and outcomes that are not recorded yet, without those of the running statement.
        var entries: Int
        /// Seconds the running statement has taken so far; nil: none runs.
        var writing: Double?
        /// Statements in a row that failed; since the stop, of a worker that stops.
        var faults: Int
        /// Lanes that wait for room.
        var lanes: Int
    }
}
