/// What is odd about a plan, or makes more posts than needed, and refuses nothing.
public enum PlanRemark: Sendable, Equatable, CustomStringConvertible {
    /// Two spellings of one tag.
    case tagsDifferInCase(String, String)
    /// A tag expression is odd.
    case tag(TagRemark)
    /// What could share a post was claimed by two claims.
    case cut(posts: Int)

    public var description: String {
        switch self {
        case .tagsDifferInCase(let first, let second):
            "tag \(second.quoted) beside \(first.quoted): tags compare without case, so both are the same devices"
        case .tag(let remark): remark.description
        case .cut(let posts):
            "the claims end between rows that could share a post, which makes \(posts) more \(posts == 1 ? "post" : "posts")"
        }
    }

    /// The word in JSON.
    public var word: String {
        switch self {
        case .tagsDifferInCase: "tags_differ_in_case"
        case .tag(.word): "operator_as_tag"
        case .tag(.matchesNobody): "matches_nobody"
        case .tag(.matchesEverybody): "matches_everybody"
        case .cut: "cut"
        }
    }
}

/// Looks at the tags of many contents, within bounds: of a table with millions of tags it sees those that come first.
struct TagSurvey: Sendable {
    /// Different tags and expressions that are kept.
    private static let limit = (tags: 100_000, expressions: 2_000, remarks: 20)

    private let kind: HubFacts
    private let counted: ReachTable
    /// By expression as it was counted.
    private var found: [String: KnownReach] = [:]
    /// Of each tag the first spelling.
    private var tags: Set<Tag> = []
    private var expressions: Set<String> = []
    /// In the order in which they were found, each once.
    private(set) var remarks: [PlanRemark] = []

    init(of kind: HubFacts, _ counted: ReachTable = ReachTable()) {
        (self.kind, self.counted) = (kind, counted)
    }

    /// Of the targets that were added, those that somebody has counted: the fewest devices first.
    var reached: [KnownReach] {
        found.values.sorted { ($0.devices, $0.expression) < ($1.devices, $1.expression) }
    }

    mutating func reach(_ expression: String) {
        if let reach = counted[expression] { found[reach.expression] = reach }
    }

    mutating func add(_ target: Target) {
        guard kind.tag == .expression, case .tag(let text) = target else { return }
        if Target.isPlain(text, on: kind) {
            reach(text)
            return add(Tag(checked: text))
        }
        guard expressions.count < Self.limit.expressions, expressions.insert(text).inserted,
            let expression = try? TagExpression(text)  // always: the planner has read it
        else { return }
        reach(text)
        for tag in expression.tags { add(tag) }
        for remark in expression.remarks { add(.tag(remark)) }
    }

    private mutating func add(_ tag: Tag) {
        guard kind.foldsCase else { return }
        guard tags.count < Self.limit.tags || tags.contains(tag) else { return }
        let (isNew, first) = tags.insert(tag)
        if !isNew, first.text != tag.text { add(.tagsDifferInCase(first.text, tag.text)) }
    }

    private mutating func add(_ remark: PlanRemark) {
        if remarks.count < Self.limit.remarks, !remarks.contains(remark) { remarks.append(remark) }
    }
}
