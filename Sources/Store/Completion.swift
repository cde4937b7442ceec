import PushModel

/// What a worker has to record at once: answers with their outcomes, messages that left without a post, and claims in
/// which nothing is left to do. Gathered for 20 to 50 ms, written by one statement; writing it twice is harmless.
public struct Completion: Sendable {
    public struct Answered: Sendable {
        public var post: Int64
        public var answer: Answer
        /// For every message of the post.
        public var outcome: Outcome
        public init(post: Int64, answer: Answer, outcome: Outcome) {
            self.post = post
            self.answer = answer
            self.outcome = outcome
        }
    }

    /// A message that leaves its claim without a post: expired, not sendable, given back.
    public struct Left: Sendable {
        public var claim: Int64
        public var message: Int64
        public var outcome: Outcome
        public init(claim: Int64, message: Int64, outcome: Outcome) {
            self.claim = claim
            self.message = message
            self.outcome = outcome
        }
    }

    public var answered: [Answered] = []
    public var left: [Left] = []
    public var finished: [Int64] = []

    public init() {}

    public var isEmpty: Bool { answered.isEmpty && left.isEmpty && finished.isEmpty }
}

/// What the database said to a completion.
public struct Completed: Sendable, Equatable {
    /// Posts recorded under a live claim.
    public var answered = 0
    /// Posts whose claim had been rescued: their answer was kept and settles what is in doubt because of them.
    public var late = 0
    /// Claims that are no longer ours.
    public var fenced: [Int64] = []
}

extension Verdict {
    /// The word of the SQL enum `push.verdict`.
    public var word: String {
        switch self {
        case .accepted: "accepted"
        case .targetGone: "target_gone"
        case .targetInvalid: "target_invalid"
        case .tooLarge: "too_large"
        case .rejected: "rejected"
        case .throttled: "throttled"
        case .unavailable: "unavailable"
        case .authExpired: "auth_expired"
        case .authFailed: "auth_failed"
        case .notSent: "not_sent"
        case .unknown: "unknown"
        }
    }
}
