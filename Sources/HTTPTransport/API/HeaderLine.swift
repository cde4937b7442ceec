/// One header line that is safe to send.
///
/// libcurl sends header lines byte for byte, and tags come out of database rows: a line break in a tag would begin a
/// header that an attacker chose. Every such byte is refused here.
public struct HeaderLine: Sendable, Equatable {
    public let name: String
    public let value: String
    /// Whether people never see the value (`Request.shownHeaders`).
    public let isSecret: Bool

    /// Bytes in a name.
    public static let nameLimit = 256
    /// Bytes in a value: what common servers accept in one line.
    public static let valueLimit = 8192

    /// Names that decide where a message goes or ends. Setting them twice is request smuggling.
    private static let reserved: Set<String> = [
        "connection", "content-length", "expect", "host", "te", "trailer", "transfer-encoding", "upgrade",
    ]
    private static let longestReserved = 17

    /// - Parameters:
    ///   - name: an RFC 9110 token of at most 256 bytes, but no header that the transport sets itself.
    ///   - value: visible ASCII and spaces, at most 8192 bytes, not blank.
    ///   - isSecret: default false.
    public init(_ name: String, _ value: String, isSecret: Bool = false) throws(HeaderError) {
        try Self.checkName(name)
        try Self.checkValue(value, of: name)
        self.name = name
        self.value = value
        self.isSecret = isSecret
    }

    private static func checkName(_ name: String) throws(HeaderError) {
        let count = name.utf8.count
        guard count > 0 else { throw HeaderError(name: "", problem: .emptyName) }
        guard count <= nameLimit else { throw HeaderError(name: "", problem: .nameTooLong(count)) }
        if let (byte, offset) = firstByte(of: name, where: { !isToken($0) }) {
            throw HeaderError(name: "", problem: .nameNotToken(byte: byte, offset: offset))
        }
        guard count > longestReserved || !reserved.contains(name.lowercased()) else {
            throw HeaderError(name: name, problem: .reservedName)
        }
    }

    private static func checkValue(_ value: String, of name: String) throws(HeaderError) {
        let count = value.utf8.count
        guard count <= valueLimit else { throw HeaderError(name: name, problem: .valueTooLong(count)) }
        if let (byte, offset) = firstByte(of: value, where: { $0 < 0x20 || $0 > 0x7E }) {
            throw HeaderError(name: name, problem: .forbiddenByte(byte, offset: offset))
        }
        guard firstByte(of: value, where: { $0 != 0x20 }) != nil else {
            throw HeaderError(name: name, problem: .blankValue)
        }
    }

    /// The first byte that matches, with its offset. Reads the bytes in place: this runs for every message.
    @inline(__always)
    private static func firstByte(of text: String, where matches: (UInt8) -> Bool) -> (byte: UInt8, offset: Int)? {
        var text = text
        return text.withUTF8 { bytes in
            for offset in 0..<bytes.count where matches(bytes[offset]) { return (bytes[offset], offset) }
            return nil
        }
    }

    /// RFC 9110 section 5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }
}
