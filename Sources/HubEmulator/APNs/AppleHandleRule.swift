import PushModel

/// What APNs answers for a handle because of how it begins, so that a test can try each answer without a fault.
enum AppleHandleRule: String, CaseIterable {
    /// One byte is no phone's: a client that asks whether APNs lets it in sends to it.
    case nobody = "00"
    case badDeviceToken = "dead0400"
    case notForTopic = "dead1400"
    case unregistered = "dead0410"
    case expired = "dead1410"
    case throttled = "dead0429"
    case internalError = "dead0500"
    case unavailable = "dead0503"
    case shutdown = "dead1503"
    /// A phone of the sandbox, which production does not know.
    case sandbox = "5a4db0c5"

    private static let length = 8

    /// - Parameter handle: in lower case.
    init?(_ handle: String) { self.init(rawValue: String(handle.prefix(Self.length))) }

    /// nil: it is taken.
    ///
    /// - Parameter now: seconds since 1970.
    func error(at environment: APNsEnvironment, now: Double) -> APNsError? {
        switch self {
        case .nobody, .badDeviceToken: .badDeviceToken
        case .notForTopic: .deviceTokenNotForTopic
        case .unregistered: .unregistered(since: now)
        case .expired: .expiredToken(since: now)
        case .throttled: .tooManyRequests
        case .internalError: APNsError(500, "InternalServerError")
        case .unavailable: APNsError(503, "ServiceUnavailable")
        case .shutdown: APNsError(503, "Shutdown")
        case .sandbox: environment == .production ? .badDeviceToken : nil
        }
    }
}
