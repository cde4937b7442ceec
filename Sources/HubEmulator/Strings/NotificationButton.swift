/// A button below a notification, as an app registers it (developer.apple.com, `UNNotificationAction`).
public struct NotificationButton: Sendable, Equatable, Codable {
    public enum Option: String, Sendable, Codable, CaseIterable {
        /// Pressing it opens the app.
        case foreground
        /// It is shown in red.
        case destructive
        /// The phone has to be unlocked first.
        case authenticationRequired
    }

    /// What a person can write before pressing it (`UNTextInputNotificationAction`).
    public struct TextInput: Sendable, Equatable, Codable {
        /// The label of the button that sends the text. nil: the system's.
        public var buttonTitle: String?
        /// What stands in the field before something is written.
        public var placeholder: String?
    }

    /// What the app gets when it is pressed.
    public var id: String
    public var title: String
    public var options: [Option] = []
    /// nil: nothing can be written.
    public var textInput: TextInput?
}
