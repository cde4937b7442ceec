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

    /// A new span with this id in the same trace. Of the flags it keeps those that version 00 of the standard knows (sampled,
    /// random).
    ///
    /// - Parameter id: not 0.
    public func child(_ id: UInt64) -> TraceParent {
        TraceParent(trace: traceID, span: Self.hex(id), flags: (UInt8(description.suffix(2), radix: 16) ?? 0) & 0x03)
    }

    /// A span of ours, sampled.
    ///
    /// - Parameters:
    ///   - trace: 16 bytes, not all 0.
    ///   - span: not 0.
    public init(trace: (UInt64, UInt64), span: UInt64) {
        self.init(trace: Self.hex(trace.0) + Self.hex(trace.1), span: Self.hex(span), flags: 0x01)
    }

    private init(trace: some StringProtocol, span: String, flags: UInt8) {
        description = "00-\(trace)-\(span)-0\(flags)"
    }

    /// 32 hex digits.
    public var traceID: Substring { description.dropFirst(3).prefix(32) }

    /// The id of the span that it names: 16 hex digits.
    public var spanID: Substring { description.dropFirst(36).prefix(16) }

    /// Whether the sender of the context records the trace.
    public var isSampled: Bool { UInt8(description.suffix(2), radix: 16).map { $0 & 1 == 1 } ?? false }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func isSet(_ id: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        id.contains { $0 != UInt8(ascii: "0") }
    }
}
