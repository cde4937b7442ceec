/// The number a hub gave a notification: the last segment of `Location`'s path, opaque to us. Standard tier only.
///
/// The rest of the URL is not looked at, and never followed: recordings show it on another host than the one called.
struct NotificationID: Equatable {
    let text: String

    /// Characters kept. A longer one is no id of this service, and half an id would be of no use.
    static let limit = 300

    /// - Returns: nil when there is none, as on the cheaper tiers.
    init?(location: String) {
        let path = location.prefix { $0 != "?" && $0 != "#" }
        guard path.hasPrefix("/") || path.contains("://"), let slash = path.lastIndex(of: "/") else { return nil }
        let last = path[path.index(after: slash)...]
        guard (1...Self.limit).contains(last.utf8.count), last.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        text = String(last)
    }
}
