/// One send of any kind as it arrived, whatever became of it.
public struct JournalEntry: Sendable, Equatable, Codable {
    /// 1, 2, 3 ... over all hubs, in the order in which the sends were decided. Never given twice, also after the
    /// journal was cleared.
    public var number: Int
    /// As in the path; a hub that does not exist is noted too.
    public var hub: String
    /// Which way it was sent.
    public var kind = SendKind.send
    /// Arrival, seconds since 1970, by the emulator's clock.
    public var at: Double
    /// Arrival, seconds since the emulator started, by a clock that never jumps: for rates and gaps.
    public var elapsed: Double
    /// The status answered; nil: the connection was closed without an answer, or there was no request (`SendKind.due`).
    public var status: Int?
    /// The hub has it: devices got what they were to get. A fault can take a send and answer an error, or nothing.
    public var taken: Bool
    /// The value of `ServiceBusNotification-Tags`; nil: the header was absent, so that a
    /// send or test send is a broadcast.
    public var tags: String?
    /// The value of `ServiceBusNotification-Format`.
    public var format: String?
    /// How many handles a direct or batch send names; nil: none was read, or it is no such send.
    public var handles: Int?
    /// The body; nil when the journal keeps none (`EmulatorSettings.keptBodies`) or none was read.
    public var body: String?
    /// The `TrackingId` we answered; nil: no answer.
    public var tracking: String?
    /// The `TrackingId` the client sent.
    public var clientTracking: String?
    /// The notification id in `Location`; standard tier only.
    public var notification: String?
    /// How many pushes the send became: one for every matching template or device, or for
    /// every handle.
    public var reached: Int
    /// Why it was refused, one line.
    public var refusal: String?
    /// The fault that acted on it (`HubEmulator.add`).
    public var fault: Int?
    /// When a scheduled send is to go out, seconds since 1970. `notification` ties it to the entry of that moment.
    public var dueAt: Double?
}
