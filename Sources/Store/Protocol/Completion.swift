import PushModel

/// What a worker has to record at once: answers with their outcomes, messages that left without a post, and claims in
/// which nothing is left to do. Gathered for 20 to 50 ms, written by one statement; writing it twice is harmless.
public struct Completion: Sendable {
    public struct Answered: Sendable {
        public var post: Int64
        public var answer: Answer
        /// For every message of the post; nil: they have not left their claim and will be in other posts of it.
        public var outcome: MessageOutcome?
        /// What the post carried, as it was written down before it left.
        public var messages: [Int64]
        public init(post: Int64, answer: Answer, outcome: MessageOutcome?, messages: [Int64]) {
            self.messages = messages
            self.post = post
            self.answer = answer
            self.outcome = outcome
        }
    }

    /// A message that leaves its claim without a post: expired, not sendable, given back.
    public struct Left: Sendable {
        public var claim: Int64
        public var message: Int64
        public var outcome: MessageOutcome
        public init(claim: Int64, message: Int64, outcome: MessageOutcome) {
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

    /// Answers and messages; finished claims do not count.
    public var count: Int { answered.count + left.count }

    /// Entries that one statement takes at most.
    public static let most = 2000

    /// Takes the first `limit` entries out. Claims are finished only with the last of them: before that, what is not
    /// recorded yet must still find its claim.
    public mutating func take(_ limit: Int) -> Completion {
        var taken = Completion()
        if count <= limit {  // the usual case, and nothing is copied
            swap(&taken, &self)
            return taken
        }
        taken.answered = Array(answered.prefix(limit))
        answered.removeFirst(taken.answered.count)
        taken.left = Array(left.prefix(limit - taken.answered.count))
        left.removeFirst(taken.left.count)
        return taken
    }

    /// Appends what has to come again.
    public mutating func add(_ more: Completion) {
        answered += more.answered
        left += more.left
        finished += more.finished
    }

    /// Puts what was taken back to the front.
    public mutating func putBack(_ taken: Completion) {
        answered.insert(contentsOf: taken.answered, at: 0)
        left.insert(contentsOf: taken.left, at: 0)
        finished.insert(contentsOf: taken.finished, at: 0)
    }

    /// What belongs to these claims, and the rest.
    public func divided(by claims: Set<Int64>) -> (theirs: Completion, rest: Completion) {
        var (theirs, rest) = (Completion(), Completion())
        if claims.isEmpty { return (theirs, self) }
        for entry in answered {
            if claims.contains(Claim.of(post: entry.post)) {
                theirs.answered.append(entry)
            } else {
                rest.answered.append(entry)
            }
        }
        for entry in left {
            if claims.contains(entry.claim) { theirs.left.append(entry) } else { rest.left.append(entry) }
        }
        for claim in finished {
            if claims.contains(claim) { theirs.finished.append(claim) } else { rest.finished.append(claim) }
        }
        return (theirs, rest)
    }

    /// The same without what hubs and networks said in words.
    public var withoutTexts: Completion {
        var plain = self
        for index in plain.answered.indices {
            plain.answered[index].answer.tracking = nil
            plain.answered[index].answer.notification = nil
            plain.answered[index].answer.error = nil
            plain.answered[index].outcome?.note = nil
        }
        for index in plain.left.indices { plain.left[index].outcome.note = nil }
        return plain
    }
}

/// What the database said to a completion.
public struct Completed: Sendable, Equatable {
    /// Posts recorded under a live claim.
    public var answered = 0
    /// Posts whose claim had been rescued: their answer was kept and settles what is in doubt because of them.
    public var late = 0
    /// Claims that are no longer ours.
    public var fenced: [Int64] = []
    /// Claims that another session holds: nothing of them was recorded, and it has to come again.
    public var busy: [Int64] = []
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
