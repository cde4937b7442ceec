import PushModel

/// What a worker records at once: answers with their outcomes, messages that left their claim without a post, and finished
/// claims. Gathered for 20 ms by default and written by one statement.
public struct Completion: Sendable {
    public struct Answered: Sendable {
        public var post: Int64
        public var answer: Answer
        /// For every message of the post; nil: they stay in their claim and leave in other posts.
        public var outcome: MessageOutcome?
        /// What the post carried, as in its intent.
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
    /// Some of it was given to the database before, and the outcome is not known: the database then looks for each result
    /// before it writes it, which costs time. The results of messages that had a post of their own have no key that would
    /// refuse a repetition.
    public var mayBeRecorded = false

    public init() {}

    public var isEmpty: Bool { answered.isEmpty && left.isEmpty && finished.isEmpty }

    /// Answers and messages; finished claims do not count.
    public var count: Int { answered.count + left.count }

    /// Messages of all entries.
    public var messages: Int { answered.reduce(left.count) { $0 + $1.messages.count } }

    /// Entries that one statement takes at most, and their messages.
    public static let most = 2000
    static let mostMessages = 20_000

    /// Takes out the first `limit` entries. Claims are finished with the last entry and not before: what is not recorded yet
    /// must still find its claim.
    public mutating func take(_ limit: Int) -> Completion {
        var taken = Completion()
        if count <= limit, messages <= Self.mostMessages {  // the usual case: nothing is copied
            swap(&taken, &self)
            return taken
        }
        taken.mayBeRecorded = mayBeRecorded
        var room = Self.mostMessages
        let fitting = answered.prefix(limit).prefix { entry in
            defer { room -= entry.messages.count }
            return room > 0
        }
        taken.answered = Array(fitting)
        answered.removeFirst(taken.answered.count)
        taken.left = answered.isEmpty ? Array(left.prefix(limit - taken.answered.count)) : []
        left.removeFirst(taken.left.count)
        return taken
    }

    /// Appends what has to be written again.
    public mutating func add(_ more: Completion) {
        answered += more.answered
        left += more.left
        finished += more.finished
        mayBeRecorded = mayBeRecorded || more.mayBeRecorded
    }

    /// Puts what was taken back to the front.
    public mutating func putBack(_ taken: Completion) {
        answered.insert(contentsOf: taken.answered, at: 0)
        left.insert(contentsOf: taken.left, at: 0)
        finished.insert(contentsOf: taken.finished, at: 0)
        mayBeRecorded = mayBeRecorded || taken.mayBeRecorded
    }

    /// Splits into what belongs to these claims, and the rest.
    public func divided(by claims: Set<Int64>) -> (theirs: Completion, rest: Completion) {
        var (theirs, rest) = (Completion(), Completion())
        if claims.isEmpty { return (theirs, self) }
        (theirs.mayBeRecorded, rest.mayBeRecorded) = (mayBeRecorded, mayBeRecorded)
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

    /// The same without the texts of hubs and networks.
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

/// What the database did with a completion.
public struct Completed: Sendable, Equatable {
    /// Posts recorded under a live claim.
    public var answered = 0
    /// Posts whose claim had been rescued. Their answers are kept and settle the doubts about them.
    public var late = 0
    /// Claims that are no longer ours.
    public var fenced: [Int64] = []
    /// Claims that another session holds: nothing of them was recorded, so it has to be written again.
    public var busy: [Int64] = []
}

extension Verdict {
    /// The word of the SQL enum `push.verdict`.
    public var word: String { kind.name }
}
