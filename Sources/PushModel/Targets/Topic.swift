/// A topic of FCM: what phones subscribe to, and what `push.message.tag` names on a hub whose tags are topics.
///
/// `[a-zA-Z0-9-_.~%]+` (firebase.google.com/docs/reference/fcm/rest/v1/projects.messages). Topics compare with case.
public enum Topic {
    /// Bytes of a message to topics that FCM takes by all of Google's pages. Up to 4,096 it takes by one of them
    /// (docs/fcm.md, "Quota and ramp").
    public static let undisputedBytes = 2_048

    /// Whether a text is one topic. Allocates nothing.
    public static func isTopic(_ text: String) -> Bool {
        let utf8 = text.utf8
        return !utf8.isEmpty && utf8.count <= TagExpression.lengthLimit && utf8.allSatisfy(isTopic)
    }

    static func isTopic(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "~"), UInt8(ascii: "%"):
            true
        default: false
        }
    }

    /// The topic that a tag of a notification hub would be: `lang_fr` for `lang:fr`; nil: it is one already, or is no such
    /// tag.
    public static func nearest(to tag: String) -> String? {
        let near = String(decoding: tag.utf8.map { ":@#".utf8.contains($0) ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
        return near != tag && isTopic(near) ? near : nil
    }

    /// What stands before a topic where a service names all kinds of targets in one field, and nowhere in a row.
    static let prefix = "/topics/"

    /// The topic behind the prefix; nil: they do not begin with one that has a topic behind it.
    static func prefixed(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.starts(with: prefix.utf8) else { return nil }
        let name = bytes.dropFirst(prefix.utf8.count).prefix(while: isTopic)
        return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    }

    /// The rule broken by a character that a topic cannot contain.
    static func refusal(of bytes: [UInt8], at index: Int) -> String {
        let scalar = String(decoding: bytes[index...].prefix(4), as: UTF8.self).unicodeScalars.prefix(1)
        return "\(String(scalar).quoted) is not allowed; a topic of FCM has ASCII letters, digits and - _ . ~ %"
    }
}
