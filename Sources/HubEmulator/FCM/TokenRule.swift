/// What FCM answers for a registration token because of how it begins, so that a test can try each answer without a fault.
enum TokenRule: String, CaseIterable {
    /// The app was removed: 404 UNREGISTERED.
    case gone = "gone-"
    /// Not a token: 400 INVALID_ARGUMENT for `message.token`.
    case invalid = "invalid-"
    /// Too many messages to this phone: 429 QUOTA_EXCEEDED, whose detail names the device.
    case throttle = "throttle-"
    /// Another project's: 403 SENDER_ID_MISMATCH.
    case mismatch = "mismatch-"
    /// 503 UNAVAILABLE.
    case unavailable = "unavailable-"

    init?(_ token: String) {
        guard let rule = Self.allCases.first(where: { token.hasPrefix($0.rawValue) }) else { return nil }
        self = rule
    }

    /// - Parameter field: `message.token` or `message.fid`.
    func error(field: String) -> FCMError {
        switch self {
        case .gone: .unregistered
        case .invalid: Self.notAToken(field)
        case .throttle:
            FCMError(
                status: 429, message: "Device message rate exceeded.", code: "QUOTA_EXCEEDED",
                quota: ("device", "The rate of messages to this device is too high."))
        case .mismatch: FCMError(status: 403, message: "SenderId mismatch", code: "SENDER_ID_MISMATCH")
        case .unavailable:
            FCMError(status: 503, message: "The service is currently unavailable.", code: "UNAVAILABLE")
        }
    }

    static func notAToken(_ field: String) -> FCMError {
        .invalid(
            field, "Invalid registration token",
            message: "The registration token is not a valid FCM registration token")
    }
}
