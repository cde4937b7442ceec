import HTTPTypes

extension Fault {
    /// The operations of a hub.
    public enum Operation: String, Sendable, Codable, CaseIterable {
        case send, direct, batch, test
        /// `/{hub}/schedulednotifications`.
        case schedule
        /// `GET /{hub}/messages/{id}`.
        case telemetry
        case installation
        /// `/{hub}/registrations`, `/{hub}/registrationids` and `/{hub}/tags/{tag}/registrations`.
        case registration
        /// `/{hub}/feedbackcontainer`.
        case feedback
        /// `POST /v1/projects/{project}/messages:send` of an FCM sender.
        case fcm
        /// `POST /token`: the access tokens of FCM senders.
        case fcmToken
        /// `POST /3/device/{token}` of an APNs sender.
        case apns
    }
}

extension Fault.Operation {
    /// nil: the request is not one of these.
    init?(_ request: EmulatorRequest) {
        let path = request.segments
        guard path.count > 1 else { return nil }
        switch path[1].lowercased() {
        case "messages" where request.method == .post && SendKind.isAddress(path):
            switch SendKind(request) {
            case .send: self = .send
            case .direct: self = .direct
            case .batch: self = .batch
            case .test: self = .test
            case .scheduled, .due, .trial: self = .schedule
            }
        case "messages" where path.count == 3 && request.method == .get: self = .telemetry
        case "schedulednotifications": self = .schedule
        case "installations": self = .installation
        case "registrations", "registrationids": self = .registration
        case "tags" where path.last?.lowercased() == "registrations": self = .registration
        case "feedbackcontainer": self = .feedback
        default: return nil
        }
    }
}
