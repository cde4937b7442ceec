/// The id that a post has at APNs, `apns-id`: a UUID of version 8 (RFC 9562 section 5.8), made of the database's id and the
/// post's. The same post always has the same one, and no two databases share any.
///
/// `dddddddd-dddd-8ddd-pppp-pppppppppppp`: 60 bits of the database, 62 of the post. Read as hexadecimal digits, the end is the
/// number of the post.
struct PushID {
    let text: String

    static let length = 36

    /// - Parameters:
    ///   - database: its lower 60 bits count.
    ///   - post: `push.post.id`; its lower 62 bits count, and no id has more.
    init(database: UInt64, post: Int64) {
        let high = (database << 4 & 0xFFFF_FFFF_FFFF_0000) | 0x8000 | (database & 0x0FFF)
        let low = 0x8000_0000_0000_0000 | (UInt64(bitPattern: post) & 0x3FFF_FFFF_FFFF_FFFF)
        text = String(unsafeUninitializedCapacity: Self.length) { bytes in
            var at = 0
            for digit in 0..<32 {
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                    bytes[at] = UInt8(ascii: "-")
                    at += 1
                }
                let half = digit < 16 ? high : low
                let value = UInt8(half >> (60 - 4 * UInt64(digit % 16)) & 15)
                bytes[at] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
                at += 1
            }
            return at
        }
    }

    /// Reads a UUID in its usual form, in lower case or capitals.
    ///
    /// - Returns: nil: not one.
    init?(_ text: String) {
        guard text.utf8.count == Self.length else { return nil }
        for (place, byte) in text.utf8.enumerated() {
            let isDash = place == 8 || place == 13 || place == 18 || place == 23
            guard isDash ? byte == UInt8(ascii: "-") : byte.isHexadecimal else { return nil }
        }
        self.text = text.lowercased()
    }
}

extension UInt8 {
    /// Whether it is a digit of a hexadecimal number, in lower case or capitals.
    var isHexadecimal: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }
}
