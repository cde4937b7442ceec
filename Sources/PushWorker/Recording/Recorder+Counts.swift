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
}
