/// Base64 with `+`, `/` and padding (RFC 4648 section 4), on one line.
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// The value of every byte that is a digit, 255 for all others.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for digit in 0...group.count { text.append(alphabet[bits >> (18 - 6 * digit) & 63]) }
            for _ in group.count..<3 { text.append(padding) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: nil unless the text is what `encode` would have written: whole groups of four, padded, no white
    ///   space, no stray bits.
    public static func decode(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 4) else { return nil }
        let pads = digits.suffix(2).reversed().prefix { $0 == padding }.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        var bits = 0
        var held = 0
        for digit in digits.dropLast(pads) {
            let value = values[Int(digit)]
            guard value < 64 else { return nil }
            bits = bits << 6 | Int(value)
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(bits >> held & 255))
                bits &= (1 << held) - 1
            }
        }
        return bits == 0 ? bytes : nil
    }
}

extension Base64 {
    /// With `-` and `_` and without padding (RFC 4648 section 5, RFC 7515 section 2), as in a JWT.
    public static func encodeURL(_ bytes: [UInt8]) -> String {
        let text = encode(bytes).utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case padding: nil
            default: byte
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: nil unless the text is what `encodeURL` would have written.
    public static func decodeURL(_ text: some StringProtocol) -> [UInt8]? {
        var plain: [UInt8] = []
        plain.reserveCapacity(text.utf8.count + 3)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): plain.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): plain.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), padding: return nil
            default: plain.append(byte)
            }
        }
        while !plain.count.isMultiple(of: 4) { plain.append(padding) }
        return decode(String(decoding: plain, as: UTF8.self))
    }
}
