/// Why a post is a post of its own, and why two rows do not share one.
///
/// Where several hold, the first in this order counts. The raw values are the words in JSON. `Packer` decides by it.
public enum Apart: String, Sendable, CaseIterable {
    case pack
    case packTags = "pack_tags"
    case broadcast
    case expression
    case oneHandle = "one_handle"
    // From here on two posts are compared, part by part.
    case body
    case headers
    case format
    case onDoubt = "on_doubt"
    case attempt
    case direct
    case life
    // All parts are equal, and still they are two posts.
    case repeatedTag = "repeated_tag"
    case full

    /// For the line that counts reasons.
    public var label: String {
        switch self {
        case .pack: "pack = false"
        case .packTags: "packTags off"
        case .broadcast: "broadcast"
        case .expression: "expression"
        case .oneHandle: "one handle a post"
        case .body: "body"
        case .headers: "headers"
        case .format: "format"
        case .onDoubt: "on_doubt"
        case .attempt: "attempts"
        case .direct: "tag or handles"
        case .life: "end or priority"
        case .repeatedTag: "repeated tag"
        case .full: "full"
        }
    }

    /// For people; the same on a screen, in JSON and in docs/folding.md.
    public var sentence: String {
        switch self {
        case .pack: "The row has pack = false, so its content is sent alone."
        case .packTags: "The hub's setting packTags is off, so every content is sent alone."
        case .broadcast: "A broadcast reaches every device, so no tag can be added to it."
        case .expression:
            "Only single tags are joined, and this is an expression: it has operators, a tag with $, or a tag for its locale."
        case .oneHandle: "Each handle has a post of its own: the kind of the hub takes one, or its tier has no batches."
        case .body: "The bodies differ, and a post has one body."
        case .headers: "The headers differ, and a post has one set of headers."
        case .format: "The formats differ, and a post has one format."
        case .onDoubt: "They differ in on_doubt, and a lost answer means the same for every message of a post."
        case .attempt: "Their attempts differ, and no message is given up because others in its post failed more often."
        case .direct: "One goes to a tag and the other to handles, and a post goes to either."
        case .life: "They end in different seconds or differ in priority, and a post to this kind of hub says both."
        case .repeatedTag:
            "Its tag or handle was in a post with this body before: two messages are two pushes, and one post would be one."
        case .full: "The post before it is full: it has as many tags or handles as the kind of the hub takes."
        }
    }

    private static let orders = Dictionary(uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
}

extension Apart: Comparable {
    /// The reason that counts first.
    public static func < (a: Apart, b: Apart) -> Bool { orders[a, default: 0] < orders[b, default: 0] }
}
