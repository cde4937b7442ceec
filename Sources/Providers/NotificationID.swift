/// The number a hub gave a notification: the last segment of `Location`'s path, opaque to us. Standard tier only.
///
/// The rest of the URL is not looked at, and never followed: recordings show it on another host than the one called.
struct NotificationID: Equatable {
    let text: String

    /// Characters kept. A longer one is no id of this service, and half an id would be of no use.
    static let limit = 300

    /// - Returns: nil when there is none, as on the cheaper tiers.
    init?(location: String) {
        let path = Array(location.utf8).prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let slash = UInt8(ascii: "/")
        guard let last = path.lastIndex(of: slash), path.first == slash || path.first("://") != nil else { return nil }
        let id = path[(last + 1)...]
        guard (1...Self.limit).contains(id.count), id.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        text = String(decoding: id, as: UTF8.self)
    }
}
