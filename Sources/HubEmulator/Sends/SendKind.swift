import HTTPTypes
import PushModel

/// The kinds of sends (docs/wire/notification-hubs.md, "Sends").
public enum SendKind: String, Sendable, Codable, CaseIterable {
    /// To the devices that the tags select.
    case send
    /// To one handle, registered or not: `&direct`.
    case direct
    /// To up to 1,000 handles, registered or not: `/messages/$batch` with `&direct`.
    case batch
    /// To at most 10 devices that the tags select, answered with the result of each: `&test`.
    case test
    /// To the devices that the tags select at the scheduled time: `/schedulednotifications`.
    case scheduled
    /// Not a request: an earlier scheduled send that is due.
    case due
    /// A send to an FCM sender with `validate_only`: checked and not delivered.
    case trial

    init(_ request: EmulatorRequest) {
        if request.segments.dropFirst().first?.lowercased() == "schedulednotifications" {
            self = .scheduled
        } else if Self.isBatch(request.segments) {
            self = .batch
        } else if request.isOn("direct") {
            self = .direct
        } else {
            self = request.isOn("test") ? .test : .send
        }
    }

    /// Whether the path takes sends: `{hub}/messages` and `{hub}/messages/$batch`, not `{hub}/messages/{id}`.
    static func isAddress(_ path: [String]) -> Bool { path.count == 2 || path.count == 3 && isBatch(path) }

    /// Whether the request is a send, immediate or scheduled.
    static func isSend(_ request: EmulatorRequest) -> Bool {
        guard request.method == .post else { return false }
        switch request.segments.dropFirst().first?.lowercased() {
        case "messages": return isAddress(request.segments)
        case "schedulednotifications": return request.segments.count == 2
        default: return false
        }
    }

    private static func isBatch(_ path: [String]) -> Bool { path.dropFirst(2).first?.lowercased() == "$batch" }

    /// Most bytes of a request of this kind.
    var bodyLimit: Int { self == .batch ? BatchBody.sizeLimit : HubKind.notificationHubs.facts.bodyBytes }

    var isToHandles: Bool { self == .direct || self == .batch }
}
