import Pages

/// How the status of a message or of a device's change looks. Pure.
enum StatusLook {
    /// - Parameter status: a word of `push.status`, of `push.message_status` or of `push.device_status`.
    static func of(_ status: String) -> StateLook {
        switch status {
        case "accepted", "applied": .good
        case "rejected", "expired", "in_doubt", "refused": .bad
        case "cancelled", "duplicate", "superseded": .off
        default: .waits
        }
    }
}
