import PushModel

/// The id that FCM gave a message: the last part of `{"name": "projects/P/messages/ID"}`.
struct FCMMessageName: Equatable {
    let text: String

    /// Most characters of an id: those seen have about 40.
    static let limit = 300

    /// - Returns: nil when there is no such name, or the id has a character that no id has: a proxy that quotes our token
    ///   cannot put it into the tables.
    init?(body: [UInt8]) {
        guard let id = Self.plain(body) ?? Self.parsed(body), (1...Self.limit).contains(id.count),
            id.allSatisfy(Self.isAllowed)
        else { return nil }
        text = String(decoding: id, as: UTF8.self)
    }

    /// Nearly always: found without reading the JSON.
    private static func plain(_ body: [UInt8]) -> ArraySlice<UInt8>? {
        guard let start = body[...].first("/messages/")?.upperBound,
            let end = body[start...].firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        return body[start..<end]
    }

    /// Writers of JSON may escape a slash.
    private static func parsed(_ body: [UInt8]) -> ArraySlice<UInt8>? {
        guard let name = (try? JSONNode(body).value)?["name"]?.text else { return nil }
        return plain(Array("\(name)\"".utf8))
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: ":"), UInt8(ascii: "%"):
            true
        default: false
        }
    }
}
