import PushModel

/// The token of a phone with an app of Apple's: hex digits, an even number of them. Case does not count.
enum AppleHandle {
    /// Most digits. Our own limit; Apple says that none is to be assumed.
    static let limit = HubKind.apns.facts.handleBytes

    static func isValid(_ text: String) -> Bool {
        (2...limit).contains(text.utf8.count) && text.utf8.count.isMultiple(of: 2)
            && text.utf8.allSatisfy(\.isHexDigit)
    }
}

extension UInt8 {
    /// ASCII only.
    var isHexDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }
}
