/// The trace context of the request that enqueued a message: `version-traceid-parentid-flags` in lower-case hex, as W3C's
/// Trace Context writes the header `traceparent`. Holds nothing but hex digits and dashes, so it is safe in a header.
public struct TraceParent: Sendable, Hashable, CustomStringConvertible {
    /// 55 characters.
    public let description: String

    /// nil: it has another form, the version `ff`, or an id of zeros only, which the standard calls invalid.
    public init?(_ text: String) {
        var text = text
        let isOne = text.withUTF8 { bytes in
            guard bytes.count == 55, !bytes.starts(with: "ff".utf8) else { return false }
            for place in bytes.indices {
                switch (bytes[place], place) {
                case (UInt8(ascii: "-"), 2), (UInt8(ascii: "-"), 35), (UInt8(ascii: "-"), 52): continue
                case (_, 2), (_, 35), (_, 52): return false
                case (UInt8(ascii: "0")...UInt8(ascii: "9"), _), (UInt8(ascii: "a")...UInt8(ascii: "f"), _): continue
                default: return false
                }
            }
            return Self.isSet(bytes[3..<35]) && Self.isSet(bytes[36..<52])
        }
        guard isOne else { return nil }
        description = text
    }

    private static func isSet(_ id: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        id.contains { $0 != UInt8(ascii: "0") }
    }
}
