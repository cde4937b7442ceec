/// What the platform's service would do with one push, as far as the emulator knows.
enum PushOutcome: Sendable, Equatable {
    case sent
    /// The payload is larger than the platform allows, so it drops the push.
    case tooLarge

    /// In the response to a test send. The first text is the service's own; the second is ours.
    var text: String {
        switch self {
        case .sent: "The Notification was successfully sent to the Push Notification System"
        case .tooLarge: "The Notification is larger than the Push Notification System takes"
        }
    }
}
