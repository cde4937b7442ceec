/// A post of a plan, as it is shown: without its body, and without a handle.
public struct PlannedPost: Sendable, Equatable {
    /// From 1, in the order of the plan.
    public let number: Int
    /// As `Target.label`; nil: a broadcast.
    public let target: String?
    /// The messages in it, in their order.
    public let rows: [Int64]
    /// How many of them are a content of their own: translations of one are not.
    public let contents: Int
    /// The languages whose text it has: words in names of properties, or one locale. Those of its first content.
    public let languages: [String]
    /// The languages that the fallback, or the row without locale, gives something to.
    public let filled: [String]
    public let format: String
    /// Of the body.
    public let bytes: Int
    public let headers: [Post.Header]
    /// When the first of its messages ends, in seconds since 1970; nil: none of them ends.
    public let expiresAt: Double?
    public let priority: Priority
    /// Why it is a post of its own.
    public let apart: Apart
    /// As `PlanNotes.Content.layer`.
    public let layer: Int

    /// The posts of a plan.
    ///
    /// - Parameters:
    ///   - notes: those of this plan.
    ///   - number: of the first post.
    public static func posts(of plan: Plan, _ notes: PlanNotes, from number: Int = 1) -> [PlannedPost] {
        var firsts: [PlanNotes.Content?] = Array(repeating: nil, count: plan.posts.count)
        for content in notes.contents.reversed() { firsts[content.post] = content }
        return zip(plan.posts, firsts).enumerated().map { index, pair in
            let (post, first) = pair
            return PlannedPost(
                number: number + index, target: post.target.label, rows: post.messages, contents: post.parts.count,
                languages: first?.languages ?? [], filled: first?.filled ?? [], format: post.format,
                bytes: post.body.count, headers: post.headers, expiresAt: post.expiresAt, priority: post.priority,
                apart: notes.apart[index], layer: first?.layer ?? 0)
        }
    }
}
