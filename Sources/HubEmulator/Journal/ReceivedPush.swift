import PushModel

/// One push as a device received it.
public struct ReceivedPush: Sendable, Equatable, Codable {
    /// The journal number of the send it came from.
    public var number: Int
    /// Seconds since 1970, by the emulator's clock.
    public var at: Double
    /// The template that produced it. nil: the send was in the device's own format.
    public var template: String?
    /// The handle of a direct or batch send. nil: the device was selected by tags.
    public var handle: String?
    /// The finished payload, as the platform service would get it.
    public var payload: String
    /// Headers for the platform service: the `apns-...` and `X-WNS-...` headers of the send, or those of the template
    /// with their expressions evaluated. nil: none.
    public var headers: [String: String]?
    /// The text a user would see. nil: the payload has no place for text.
    public var alert: AlertText?
    /// The buttons below it, on an Apple phone whose app knows its category. nil: none.
    public var buttons: [NotificationButton]?
    /// Properties that the template shows and the message lacked: their places are empty. nil: none.
    public var missing: [String]?

    /// Whether title, body or payload contain the text, in any case. An empty text is always contained.
    func contains(_ text: String) -> Bool {
        text.isEmpty || payload.lowercased().contains(text.lowercased())
            || [alert?.title, alert?.body].contains { $0?.lowercased().contains(text.lowercased()) ?? false }
    }
}
