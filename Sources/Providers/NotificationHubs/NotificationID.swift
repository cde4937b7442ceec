/// The id a hub gave a notification: the last segment of `Location`'s path, opaque to us. Standard tier only.
///
/// We ignore the rest of the URL and never follow it: recordings show another host than the one called.
struct NotificationID: Equatable {
    let text: String

    /// Most characters of an id. The service has no longer ones, and half an id is useless.
    static let limit = 300

    /// - Returns: nil when the hub gave no id, as on the cheaper tiers, and when the segment has a character that a URL
    ///   has to escape. Every known id has letters, digits and `-`, and every signature has at least one `=`, bare or
    ///   as `%3D`, so a proxy that quotes our token in `Location` cannot put it into the tables.
    init?(location: String) {
        let path = Array(location.utf8).prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let slash = UInt8(ascii: "/")
        guard let last = path.lastIndex(of: slash), path.first == slash || path.first("://") != nil else { return nil }
        let id = path[(last + 1)...]
        guard (1...Self.limit).contains(id.count), id.allSatisfy(Self.isUnreserved) else { return nil }
        text = String(decoding: id, as: UTF8.self)
    }

    /// RFC 3986 section 2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
