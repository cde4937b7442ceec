import Postgres

/// How far a lane's claims have got in `push.due`: the last pointer taken. Kept in memory only; losing it costs one full
/// scan.
public struct DuePosition: Sendable, Comparable {
    public var dueAt: Timestamp
    public var id: Int64

    public init(dueAt: Timestamp, id: Int64) {
        self.dueAt = dueAt
        self.id = id
    }

    /// Before everything.
    public static let start = DuePosition(dueAt: .negativeInfinity, id: 0)

    public static func < (a: DuePosition, b: DuePosition) -> Bool { (a.dueAt, a.id) < (b.dueAt, b.id) }
}
