import Postgres
import PushModel

/// A batch of messages that one worker holds: a row of `push.claim`.
///
/// The id is never used twice and is the fence: a worker that posts or records must still find it in the table.
public struct Claim: Sendable {
    public let id: Int64
    /// Leads and their translations; never empty.
    public let messages: [Message]
    /// Of the last pointer taken.
    public let position: DuePosition

    public init(id: Int64, messages: [Message], position: DuePosition) {
        self.id = id
        self.messages = messages
        self.position = position
    }

    /// Posts of one claim are numbered from 1 to `mostPosts`: `push_internal.post_id(claim, n)` (docs/storage.md, "Tables").
    public static let mostPosts = 9_999

    private static let span = Int64(mostPosts) + 1

    public func post(_ n: Int) -> Int64 { Self.post(n, of: id) }

    public static func post(_ n: Int, of claim: Int64) -> Int64 { claim * span + Int64(n) }

    public static func of(post: Int64) -> Int64 { post / span }
}

/// How far a lane's claims have got in `push.due`: the last pointer taken. Kept in memory only; losing it costs one full
/// scan.
public struct DuePosition: Sendable, Comparable {
    public var dueAt: Timestamp
    public var id: Int64

    public init(dueAt: Timestamp, id: Int64) {
        self.dueAt = dueAt
        self.id = id
    }

    /// Before all pointers.
    public static let start = DuePosition(dueAt: .negativeInfinity, id: 0)

    public static func < (a: DuePosition, b: DuePosition) -> Bool { (a.dueAt, a.id) < (b.dueAt, b.id) }
}
