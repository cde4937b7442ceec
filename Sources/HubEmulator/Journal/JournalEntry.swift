/// One send of any kind as it arrived, taken or not.
public struct JournalEntry: Sendable, Equatable, Codable {
    /// 1, 2, 3 ... over all hubs, in the order in which the sends were processed. Never reused, not even after the
    /// journal is cleared.
    public var number: Int
    /// As in the path, even if no such hub exists.
    public var hub: String
    public var kind = SendKind.send
    /// Time of arrival: seconds since 1970, by the emulator's clock.
    public var at: Double
    /// Time of arrival: seconds since the emulator started, by a monotonic clock. For rates and gaps.
    public var elapsed: Double
    /// nil: the connection was closed without a response, or there was no request (`SendKind.due`).
    public var status: Int?
    /// Whether the hub took it and delivered it to the devices. With a fault this can be true although the client got an
    /// error or no response.
    public var taken: Bool
    /// The value of `ServiceBusNotification-Tags`. nil: no such header, so a send or test send is a broadcast.
    public var tags: String?
    /// The value of `ServiceBusNotification-Format`.
    public var format: String?
    /// The number of handles of a direct or batch send. nil: not read, or another kind of send.
    public var handles: Int?
    /// nil: the journal does not keep it (`EmulatorSettings.keptBodies`), or it was not read.
    public var body: String?
    /// The `TrackingId` in our response. nil: no response.
    public var tracking: String?
    /// The client's `TrackingId`.
    public var clientTracking: String?
    /// The notification id in `Location`; standard tier only.
    public var notification: String?
    /// The number of pushes: one for every matching template or device, or for every handle.
    public var reached: Int
    /// Why it was refused, in one line.
    public var refusal: String?
    /// The number of the fault that acted on it (`HubEmulator.add`).
    public var fault: Int?
    /// When a scheduled send is due: seconds since 1970. The entry of its delivery has the same `notification`.
    public var dueAt: Double?
    /// On its way into the journal, which keeps it apart (`Journal.request(of:)`).
    var request: SentRequest?

    private enum CodingKeys: String, CodingKey {
        case number, hub, kind, at, elapsed, status, taken, tags, format, handles, body, tracking, clientTracking
        case notification, reached, refusal, fault, dueAt
    }
}

/// The response of `GET /_emulator/journal`.
public struct JournalPage: Sendable, Equatable, Codable {
    /// Oldest first.
    public var entries: [JournalEntry]
    /// The `since` of the next page. nil: this is the last page for now.
    public var next: Int?
}
