/// A scheduled notification that is not due yet.
struct PendingNotification: Sendable {
    let id: String
    /// Increases with every scheduled notification: of two with the same time the lower number is sent first.
    var number = 0
    /// Seconds since 1970.
    let dueAt: Double
    let hub: Hub
    let request: EmulatorRequest
    let send: ValidatedSend
    /// Its journal entry, without the body.
    let entry: JournalEntry
}

/// A pending notification in the list of `GET /_emulator/schedules`.
public struct ScheduledNotification: Sendable, Equatable, Codable {
    /// Its id, for cancelling.
    public var notification: String
    public var hub: String
    /// Seconds since 1970, like `dueAt`.
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
