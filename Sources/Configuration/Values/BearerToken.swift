import Signing

/// The form of a bearer token: what RFC 6750, section 2.1, lets a header carry, and too long to be guessed.
enum BearerToken {
    /// Completes "must be …".
    static let rule = "16 to 512 letters, digits and -._~+/, perhaps with = at the end"

    static func isOne(_ token: Secret) -> Bool {
        let bytes = Array(token.reveal().utf8)
        guard (16...512).contains(bytes.count) else { return false }
        let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return padding < bytes.count
            && bytes.dropLast(padding).allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._~+/".utf8.contains(byte)
                }
            }
    }
}
