import HTTPTypes
import PushModel

/// The requests of FCM that the emulator serves, by their paths.
enum FCMOperation: Sendable, Equatable {
    /// `/token`: an assertion is changed for an access token. At Google another host.
    case token
    /// `/v1/projects/{project}/messages:send`.
    case send(project: String)
    /// `/iid/v1:batchAdd`, `/iid/v1:batchRemove`. At Google another host.
    case topics(isOn: Bool)
    /// `/v1/projects/{project}/registrations/{token}/topicSubscriptions`, as newer SDKs subscribe: POST with `topic_name` in the
    /// query, DELETE with `/{topic}` behind it.
    case subscription(project: String, token: String, topic: String?)

    /// Hubs cannot have these names beside a sender.
    static let reservedNames = ["token", "v1", "iid"]

    /// nil: the path is not one of these. The method is not looked at.
    init?(_ request: EmulatorRequest) {
        let path = request.segments
        switch (path.first, path.count) {
        case ("token", 1): self = .token
        case ("v1", 4) where path[1] == "projects" && path[3] == "messages:send": self = .send(project: path[2])
        case ("v1", 6...7) where path[1] == "projects" && path[3] == "registrations" && path[5] == "topicSubscriptions":
            self = .subscription(
                project: path[2], token: path[4], topic: path.count > 6 ? path[6] : request.parameter("topic_name"))
        case ("iid", 2) where path[1] == "v1:batchAdd": self = .topics(isOn: true)
        case ("iid", 2) where path[1] == "v1:batchRemove": self = .topics(isOn: false)
        default: return nil
        }
    }

    var isSend: Bool { if case .send = self { true } else { false } }

    /// nil: faults do not strike it.
    var fault: Fault.Operation? {
        switch self {
        case .token: .fcmToken
        case .send: .fcm
        case .topics, .subscription: nil
        }
    }

    /// Most bytes of a request that are read: of a send far more than FCM takes, whose own rule refuses it.
    var bodyLimit: Int {
        if case .topics = self { BatchBody.sizeLimit } else { Self.sendLimit }
    }

    static let sendLimit = 65_536
}
