/// What the platform's service does with one push, as far as it can be known here.
enum PushOutcome: Sendable, Equatable {
    case sent
    /// The payload has more bytes than the platform takes: it is dropped, and no device shows it.
    case tooLarge

    /// As the answer to a test send words it. The first is the service's own; the other is ours.
    var text: String {
        switch self {
        case .sent: "The Notification was successfully sent to the Push Notification System"
        case .tooLarge: "The Notification is larger than the Push Notification System takes"
        }
    }
}
