import PushModel

/// The names in a native payload that Fanfare looks at, and in FCM's message around one.
enum MemberName {
    case message, token, fid, topic, condition, notification, data, android, ttl, webpush, headers, apns, payload, aps
    case alert, badge, sound, contentAvailable, contentChanged, event, expiration, priority, pushType, other

    private static let byLength: [[(StaticString, MemberName)]] = {
        let all: [(StaticString, MemberName)] = [
            ("message", .message), ("token", .token), ("fid", .fid), ("topic", .topic), ("condition", .condition),
            ("notification", .notification), ("data", .data), ("android", .android), ("ttl", .ttl),
            ("webpush", .webpush), ("headers", .headers), ("apns", .apns), ("payload", .payload), ("aps", .aps),
            ("alert", .alert), ("badge", .badge), ("sound", .sound), ("content-available", .contentAvailable),
            ("content-changed", .contentChanged), ("event", .event),
            ("apns-expiration", .expiration), ("apns-priority", .priority), ("apns-push-type", .pushType),
        ]
        return (0...17).map { length in all.filter { $0.0.utf8CodeUnitCount == length } }
    }()

    /// - Parameters:
    ///   - raw: where the name stands, without quotation marks.
    ///   - isHeader: whether it is a header's, where case has no meaning. Elsewhere another case is another name.
    init(_ raw: Range<Int>, in text: [UInt8], isHeader: Bool) {
        if text[raw].contains(UInt8(ascii: "\\")) {
            let plain = Array(JSONText.unescaped(text[raw]))
            self = Self.name(plain.indices, in: plain, isHeader)
        } else {
            self = Self.name(raw, in: text, isHeader)
        }
    }

    private static func name(_ range: Range<Int>, in text: [UInt8], _ isHeader: Bool) -> MemberName {
        guard range.count < byLength.count else { return .other }
        return byLength[range.count].first { $0.0.equals(range, of: text, ignoringCase: isHeader) }?.1 ?? .other
    }
}

extension StaticString {
    /// Whether these bytes of a text are this one.
    ///
    /// - Parameter ignoringCase: of ASCII letters in the text; this one is in lower case. Default: false.
    func equals(_ range: Range<Int>, of text: [UInt8], ignoringCase: Bool = false) -> Bool {
        guard range.count == utf8CodeUnitCount else { return false }
        for (offset, index) in range.enumerated() {
            let byte = text[index]
            let isUpper = ignoringCase && UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
            guard (isUpper ? byte | 0x20 : byte) == utf8Start[offset] else { return false }
        }
        return true
    }
}
