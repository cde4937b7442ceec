/// A notification that waits for its time.
struct PendingNotification: Sendable {
    let id: String
    /// Counts those taken: of two that are due at once the earlier one goes out first.
    var number = 0
    /// Seconds since 1970.
    let dueAt: Double
    let hub: Hub
    let call: EmulatorRequest
    let submission: ValidatedSend
    /// What the journal says of it, without its body.
    let entry: JournalEntry
}

/// One of them, as `GET /_emulator/schedules` lists it.
public struct ScheduledNotification: Sendable, Equatable, Codable {
    /// Its id, with which it can be cancelled.
    public var notification: String
    public var hub: String
    /// Seconds since 1970, both.
    public var takenAt: Double
    public var dueAt: Double
    /// nil: a broadcast.
    public var tags: String?
    public var format: String?

    init(_ pending: PendingNotification) {
        notification = pending.id
        hub = pending.hub.name
        takenAt = pending.entry.at
        dueAt = pending.dueAt
        tags = pending.entry.tags
        format = pending.entry.format
    }
}
