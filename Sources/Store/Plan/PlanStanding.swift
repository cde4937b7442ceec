import Postgres
import PushModel

/// Where a message is, and what stands for it while it is pending.
public struct PlanStanding: Sendable, Equatable {
    public var message: Int64
    /// The number of its hub, and the name.
    public var hub: Int32
    public var name: String
    public var priority: Priority
    /// The message whose pointer stands for it; itself, if it has no translations.
    public var lead: Int64
    /// When that pointer is due, in seconds since 1970; nil: it is not pending.
    public var dueAt: Double?
    /// nil: of a newer schema.
    public var status: Status?
    public var reason: Reason?
    /// Of the status, in seconds since 1970.
    public var since: Double?
    public var note: String?
    /// The worker that holds it, as host/pid; nil: none.
    public var worker: String?
    /// The newest post that carries it or decided it; nil: none.
    public var post: Int64?
    /// The other messages of that post.
    public var mates: [Int64]

    public init(
        message: Int64, hub: Int32, name: String, priority: Priority, lead: Int64, dueAt: Double? = nil,
        status: Status?, reason: Reason? = nil, since: Double? = nil, note: String? = nil, worker: String? = nil,
        post: Int64? = nil, mates: [Int64] = []
    ) {
        (self.message, self.hub, self.name, self.priority) = (message, hub, name, priority)
        (self.lead, self.dueAt, self.status, self.reason) = (lead, dueAt, status, reason)
        (self.since, self.note, self.worker) = (since, note, worker)
        (self.post, self.mates) = (post, mates)
    }

    init(_ row: inout Row, of message: Int64) throws {
        self.message = message
        hub = try row.int32()
        name = try row.string()
        priority = Priority(rawValue: try row.int16()) ?? .normal
        lead = try row.int64()
        dueAt = try row.timestampOrNil()?.secondsSince1970
        status = Status(rawValue: try row.string())
        reason = try row.stringOrNil().flatMap(Reason.init(rawValue:))
        since = try row.timestampOrNil()?.secondsSince1970
        note = try row.stringOrNil()
        worker = try row.stringOrNil()
        post = try row.int64OrNil()
        mates = try row.int64Array()
    }
}
