/// Why a row travels alone, or what keeps two rows apart: looks at the claims of all lanes, one after the other.
public struct WhyApart: Sendable {
    /// A row in a post.
    public struct Place: Sendable, Equatable {
        public let hub: String
        public let priority: Priority
        /// The claim of its lane, from 1.
        public let claim: Int
        /// As `PlannedPost.number`.
        public let post: Int
        /// The rows of its content, itself included.
        public let content: [Int64]
        /// The rows of other contents in the same post.
        public let others: [Int64]
        /// Why the post is a post of its own.
        public let apart: Apart
        /// As `PlanNotes.Content.layer`.
        public let layer: Int
    }

    /// What becomes of one row.
    public enum Fate: Sendable, Equatable {
        case post(Place)
        case refused(Refusal)
        /// It is in no claim.
        case missing
    }

    /// What keeps two rows apart. The first that holds, in this order.
    public enum Answer: Sendable, Equatable {
        /// These are in no claim.
        case missing([Int64])
        case refused([Refusal])
        /// Nothing: both are in the post with this number.
        case samePost(Int)
        case hubs(String, String)
        case priorities(Priority, Priority)
        /// Two claims of their lane.
        case claims(Int, Int)
        case apart(Apart)
    }

    public let row: Int64
    /// nil: nobody asks about a second one.
    public let other: Int64?

    private var found: [Int64: Fate] = [:]
    private var packing: [Int64: PlanNotes.Packing] = [:]
    private var claims: [Lane: Int] = [:]

    private struct Lane: Hashable {
        let hub: String
        let priority: Priority
    }

    public init(_ row: Int64, beside other: Int64? = nil) {
        self.row = row
        self.other = other
    }

    /// Looks at a claim.
    ///
    /// - Parameters:
    ///   - notes: those of this plan.
    ///   - ended: messages that end before anything is planned.
    ///   - hub: its name.
    ///   - number: of the first post: one more than `PlanTally.posts` before this claim.
    public mutating func add(
        _ plan: Plan, _ notes: PlanNotes, ended: [Refusal] = [], hub: String, priority: Priority, from number: Int = 1
    ) {
        let claim = claims[Lane(hub: hub, priority: priority), default: 0] + 1
        claims[Lane(hub: hub, priority: priority)] = claim
        let wanted = [row, other]
        for refusal in ended + plan.refusals where wanted.contains(refusal.message) {
            found[refusal.message] = .refused(refusal)
        }
        for content in notes.contents {
            for message in content.messages where wanted.contains(message) {
                packing[message] = notes.packing(of: content)
                found[message] = .post(
                    Place(
                        hub: hub, priority: priority, claim: claim, post: number + content.post,
                        content: content.messages,
                        others: plan.posts[content.post].messages.filter { !content.messages.contains($0) },
                        apart: notes.apart[content.post], layer: content.layer))
            }
        }
    }

    /// Whether nothing is missing, so that further claims change nothing.
    public var isComplete: Bool { [row, other ?? row].allSatisfy { found[$0] != nil } }

    /// What becomes of one of the two rows.
    public func fate(of row: Int64) -> Fate { found[row] ?? .missing }

    /// What keeps the two rows apart; nil: there is only one.
    public var answer: Answer? {
        guard let other else { return nil }
        let both = [row, other]
        let fates = both.map(fate)
        let missing = zip(both, fates).filter { $1 == .missing }.map(\.0)
        if !missing.isEmpty { return .missing(missing) }
        let refused = fates.compactMap { if case .refused(let refusal) = $0 { refusal } else { nil } }
        guard case .post(let mine) = fates[0], case .post(let theirs) = fates[1] else { return .refused(refused) }
        if mine.hub != theirs.hub { return .hubs(mine.hub, theirs.hub) }
        if mine.post == theirs.post { return .samePost(mine.post) }
        if mine.priority != theirs.priority { return .priorities(mine.priority, theirs.priority) }
        if mine.claim != theirs.claim { return .claims(mine.claim, theirs.claim) }
        if let mine = packing[row], let theirs = packing[other], let apart = mine.apart(from: theirs) {
            return .apart(apart)
        }
        return .apart(mine.layer == theirs.layer ? .full : .repeatedTag)
    }
}

extension WhyApart {
    /// For people, line by line.
    public var lines: [String] {
        let each = (other.map { [row, $0] } ?? [row]).map { "row \($0): \(Self.text(of: fate(of: $0)))" }
        guard let answer else {
            guard case .post(let place) = fate(of: row) else { return each }
            return each + ["post \(place.post) is a post of its own: \(place.apart.sentence)"]
        }
        return each + [answer.description]
    }

    private static func text(of fate: Fate) -> String {
        switch fate {
        case .missing: "it is in no claim"
        case .refused(let refusal): "it would not be sent (\(refusal.reason.rawValue)): \(refusal.text)"
        case .post(let place):
            "in post \(place.post) of hub \(place.hub)"
                + (place.content.count > 1 ? ", one content with \(list(place.content))" : "")
                + (place.others.isEmpty ? "" : ", shared with \(list(place.others))")
        }
    }

    private static func list(_ rows: [Int64]) -> String {
        let shown = rows.prefix(10).map(String.init).joined(separator: ", ")
        return rows.count > 10 ? "\(shown) and \(rows.count - 10) more" : shown
    }
}

extension WhyApart.Answer: CustomStringConvertible {
    /// The word in JSON; a reason has its own.
    public var word: String {
        switch self {
        case .missing: "missing"
        case .refused: "refused"
        case .samePost: "same_post"
        case .hubs: "hub"
        case .priorities: "priority"
        case .claims: "claim"
        case .apart(let reason): reason.rawValue
        }
    }

    public var description: String {
        switch self {
        case .missing: "A row that is not due has no post."
        case .refused: "A row that would not be sent has no post."
        case .samePost(let post): "Nothing keeps them apart: post \(post) has both."
        case .hubs(let first, let second): "They go to different hubs, \(first) and \(second)."
        case .priorities(let first, let second):
            "They have different priorities, \(first) and \(second), and each is claimed for itself."
        case .claims(let first, let second):
            "They are in different claims, \(first) and \(second) of their lane: where a claim ends, sharing ends."
        case .apart(let reason): reason.sentence
        }
    }
}
