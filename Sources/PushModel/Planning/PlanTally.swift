/// What becomes of rows, added up over the claims of one hub, in the order in which they would leave. It keeps numbers and no
/// bodies.
public struct PlanTally: Sendable {
    /// Rows that would not be sent, for one reason.
    public struct Refused: Sendable, Equatable {
        public let reason: Reason
        public fileprivate(set) var rows: Int
        /// The first of them.
        public let example: Refusal
        /// The lead of its content, where all rows of a content with several were refused together; nil: the row alone was.
        public let content: Int64?
    }

    /// The post with the most bytes.
    public struct Largest: Sendable, Equatable {
        /// Of its body.
        public let bytes: Int
        public let post: Int
    }

    /// The hub's name.
    public let hub: String
    /// All rows, refused ones, too.
    public private(set) var rows = 0
    /// Rows that are in a post.
    public private(set) var planned = 0
    /// Contents that are in a post: translations of one count once.
    public private(set) var contents = 0
    public private(set) var posts = 0
    /// How many posts are posts of their own for each reason; together `posts`.
    public private(set) var apart: [Apart: Int] = [:]
    /// The first of the largest; nil: there is no post.
    public private(set) var largest: Largest?
    /// Rows by the class of their lane, refused ones, too.
    public private(set) var rowsByPriority: [Priority: Int] = [:]
    /// Rows in a post that end before it could leave, by `postsPerSecond`; nil: nobody knows how fast posts leave.
    public private(set) var late: Int?
    /// Posts that would be fewer if the claim before had not ended: what they say was in it, and there was room.
    public private(set) var cut = 0
    /// Of what phones get.
    public private(set) var phones: PhoneSizes

    private let kind: HubFacts
    private let postsPerSecond: Double?
    private var refusedByReason: [Reason: Refused] = [:]
    private var tags: TagSurvey
    /// The groups of the last claim of each lane, by the fingerprint of their key.
    private var open: [Priority: [Int: OpenGroup]] = [:]

    private struct OpenGroup {
        var group: Packer.Group
        /// Of its first content, which the group itself does not know yet when it has only one.
        let first: Target
    }

    /// - Parameters:
    ///   - postsPerSecond: how fast posts leave. Default: not known.
    ///   - templates: that devices of the hub are known to have. Default: none.
    ///   - reach: what was counted at the hub. Default: nothing.
    public init(
        of hub: HubSettings, postsPerSecond: Double? = nil, templates: [PreviewTemplate] = [],
        reach: [KnownReach] = []
    ) {
        self.hub = hub.name
        kind = hub.kind.facts
        tags = TagSurvey(of: kind, ReachTable(reach))
        phones = PhoneSizes(templates)
        self.postsPerSecond = postsPerSecond.flatMap { $0 > 0 ? $0 : nil }
        late = self.postsPerSecond == nil ? nil : 0
    }

    /// Adds a claim.
    ///
    /// - Parameters:
    ///   - notes: those of this plan.
    ///   - messages: what was planned.
    ///   - ended: messages that end before anything is planned.
    ///   - priority: the class of the lane.
    public mutating func add(
        _ plan: Plan, _ notes: PlanNotes, of messages: [Message], ended: [Refusal] = [], priority: Priority
    ) {
        rows += messages.count + ended.count
        rowsByPriority[priority, default: 0] += messages.count + ended.count
        addLate(plan, messages, now: notes.now)
        for (index, post) in plan.posts.enumerated() {
            planned += post.messages.count
            if post.body.count > largest?.bytes ?? -1 {
                largest = Largest(bytes: post.body.count, post: posts + index + 1)
            }
            apart[notes.apart[index], default: 0] += 1
            phones.add(post, number: posts + index + 1)
        }
        contents += notes.contents.count
        posts += plan.posts.count
        for content in notes.contents { tags.add(content.target) }
        for refusal in ended + plan.refusals { add(refusal, plan, of: messages) }
        addCut(notes, priority)
    }

    /// Adds what rows are for where they are planned as stand-ins, whose tags name nobody.
    ///
    /// - Parameter expressions: tags and expressions.
    public mutating func add(targets expressions: [String]) {
        for expression in expressions { tags.reach(expression) }
    }

    /// How many devices the targets mean, as far as somebody has counted them: the fewest first.
    public var reach: [KnownReach] { tags.reached }

    /// Most rows first.
    public var refusals: [Refused] {
        refusedByReason.values.sorted { ($1.rows, $0.reason.rawValue) < ($0.rows, $1.reason.rawValue) }
    }

    /// Rows that would not be sent.
    public var refused: Int { rows - planned }

    /// Rows that end before anything leaves.
    public var expired: Int { refusedByReason[.expired]?.rows ?? 0 }

    /// How many rows a content has on average; nil: there is no content.
    public var rowsPerContent: Double? { contents == 0 ? nil : Double(planned) / Double(contents) }

    /// How many contents a post has on average; nil: there is no post.
    public var contentsPerPost: Double? { posts == 0 ? nil : Double(contents) / Double(posts) }

    public var remarks: [PlanRemark] { tags.remarks + (cut > 0 ? [.cut(posts: cut)] : []) }

    private mutating func addLate(_ plan: Plan, _ messages: [Message], now: Double) {
        guard let postsPerSecond else { return }
        let ends = Dictionary(messages.map { ($0.id, $0.expiresAt) }) { first, _ in first }
        for (index, post) in plan.posts.enumerated() {
            let turn = now + Double(posts + index) / postsPerSecond
            late = (late ?? 0) + post.messages.count { ends[$0, default: .infinity] <= turn }
        }
    }

    private mutating func add(_ refusal: Refusal, _ plan: Plan, of messages: [Message]) {
        guard refusedByReason[refusal.reason] == nil else {
            refusedByReason[refusal.reason]?.rows += 1
            return
        }
        var content: Int64?
        if let lead = messages.first(where: { $0.id == refusal.message })?.lead {
            let rows = messages.filter { $0.lead == lead }.map(\.id)
            let together = plan.refusals.filter { $0.text == refusal.text && rows.contains($0.message) }
            if rows.count > 1, together.count == rows.count { content = lead }
        }
        refusedByReason[refusal.reason] = Refused(reason: refusal.reason, rows: 1, example: refusal, content: content)
    }

    /// Places the contents of this claim into the groups of the one before, as if that had gone on.
    private mutating func addCut(_ notes: PlanNotes, _ priority: Priority) {
        let before = open[priority] ?? [:]
        var next: [Int: OpenGroup] = [:]
        var prints: [Int?] = Array(repeating: nil, count: notes.groups.count)
        /// The groups that go on: how many posts they have, and how many they would have needed.
        var continued: [Int: (group: Packer.Group, posts: Int, needed: Int)] = [:]
        var opened = Array(repeating: false, count: notes.apart.count)
        for content in notes.contents {
            let isFirst = !opened[content.post]
            opened[content.post] = true
            guard let index = content.group else { continue }
            if prints[index] == nil {
                let print = notes.keys[index].fingerprint
                prints[index] = print
                next[print] = OpenGroup(group: notes.groups[index], first: content.target)
                if let known = before[print] {
                    var group = known.group
                    if group.layers.isEmpty { group.place(known.first, at: 0, kind) }
                    continued[index] = (group, 0, 0)
                }
            }
            guard continued[index] != nil else { continue }
            if isFirst { continued[index]?.posts += 1 }
            if case .opens? = continued[index]?.group.place(content.target, at: 0, kind) {
                continued[index]?.needed += 1
            }
        }
        cut += continued.values.reduce(0) { $0 + max(0, $1.posts - $1.needed) }
        open[priority] = next
    }
}
