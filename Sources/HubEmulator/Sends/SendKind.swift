import HTTPTypes

/// The ways a hub takes a send (notification-hubs.md section 3.2).
public enum SendKind: String, Sendable, Codable, CaseIterable {
    /// To the devices its tags choose.
    case send
    /// To one handle, registered or not: `&direct`.
    case direct
    /// To up to 1,000 handles, registered or not: `/messages/$batch` with `&direct`.
    case batch
    /// To at most 10 devices its tags choose, answered with what became of each: `&test`.
    case test
    /// To the devices its tags choose when its time comes: `/schedulednotifications`.
    case scheduled
    /// No request of its own: an earlier scheduled send whose time has come.
    case due

    init(_ call: EmulatorRequest) {
        if call.segments.dropFirst().first?.lowercased() == "schedulednotifications" {
            self = .scheduled
        } else if Self.isBatch(call.segments) {
            self = .batch
        } else if call.isOn("direct") {
            self = .direct
        } else {
            self = call.isOn("test") ? .test : .send
        }
    }

    /// Whether sends go there: `{hub}/messages` and `{hub}/messages/$batch`. Not `{hub}/messages/{id}`.
    static func isAddress(_ path: [String]) -> Bool { path.count == 2 || path.count == 3 && isBatch(path) }

    /// Whether the request sends anything, at once or later.
    static func isSend(_ call: EmulatorRequest) -> Bool {
        guard call.method == .post else { return false }
        switch call.segments.dropFirst().first?.lowercased() {
        case "messages": return isAddress(call.segments)
        case "schedulednotifications": return call.segments.count == 2
        default: return false
        }
    }

    private static func isBatch(_ path: [String]) -> Bool { path.dropFirst(2).first?.lowercased() == "$batch" }

    /// The most bytes a request of this kind may have.
    var bodyLimit: Int { self == .batch ? BatchBody.sizeLimit : UploadedBody.limit }

    var isToHandles: Bool { self == .direct || self == .batch }
}
