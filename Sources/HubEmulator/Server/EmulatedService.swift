/// What a hub of the emulator emulates.
public enum EmulatedService: String, Sendable, Codable {
    case notificationHub
    /// A sender of Firebase Cloud Messaging.
    case fcm
    /// A sender of the Apple Push Notification service.
    case apns
}
