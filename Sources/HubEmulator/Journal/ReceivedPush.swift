/// One push as one device got it.
public struct ReceivedPush: Sendable, Equatable, Codable {
    /// The journal number of the send it came from.
    public var number: Int
    /// Seconds since 1970, by the emulator's clock.
    public var at: Double
    /// The template that made it; nil: the send was in the device's own format.
    public var template: String?
    /// The handle a direct or batch send named; nil: tags chose the device.
    public var handle: String?
    /// The finished payload, as the platform service would get it.
    public var payload: String
    /// What goes to the platform service beside it: the send's own `apns-...` and `X-WNS-...` headers, or those of the
    /// template, its expressions evaluated; nil: none.
    public var headers: [String: String]?
    /// What a person would read; nil: the payload has no place for it.
    public var alert: AlertText?
}
