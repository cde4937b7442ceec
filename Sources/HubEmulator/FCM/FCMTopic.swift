/// The name of a topic: 1 to 900 of `a-z A-Z 0-9 - _ . ~ %`. Case counts (docs/wire/fcm-apns.md, "FCM v1 messages").
enum FCMTopic {
    /// Our own limit, in bytes.
    static let limit = 900
    /// Topics of one phone (firebase.google.com, "Send messages to topics").
    static let perPhone = 2_000

    static func isValid(_ name: some StringProtocol) -> Bool {
        (1...limit).contains(name.utf8.count) && name.utf8.allSatisfy(isAllowed)
    }

    static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.~%".utf8.contains(byte)
        }
    }
}
