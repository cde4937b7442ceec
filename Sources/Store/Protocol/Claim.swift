import PushModel

/// A batch of messages this worker holds: one row of `push.claim`.
///
/// The id is never used twice and is the fence: whoever wants to post or record must still find it in the table.
public struct Claim: Sendable {
    public let id: Int64
    /// Leads and their translations; never empty.
    public let messages: [Message]
    /// Behind the last pointer taken.
    public let mark: DuePosition

    /// Posts of one claim are numbered from 1: `push.post.id` = claim × 10,000 + n (storage.md section 2).
    public static let postsPerClaim: Int64 = 10_000

    public func post(_ n: Int) -> Int64 { id * Self.postsPerClaim + Int64(n) }

    public static func of(post: Int64) -> Int64 { post / postsPerClaim }
}
