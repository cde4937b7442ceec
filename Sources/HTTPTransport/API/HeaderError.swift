/// Why a header line was refused. Names the header, the offset and the limit, but never the value: values are tokens
/// and tags.
public struct HeaderError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Problem: Sendable, Equatable {
        case emptyName
        /// Its size in bytes; `HeaderLine.nameLimit` are allowed.
        case nameTooLong(Int)
        /// The byte and its offset. A name is an RFC 9110 token.
        case nameNotToken(byte: UInt8, offset: Int)
        /// Only the transport sets it: it decides how a message is framed and where it goes.
        case reservedName
        /// Empty or only spaces: libcurl would leave the whole line out, and a post without its tags reaches every
        /// device.
        case blankValue
        /// Its size in bytes; `HeaderLine.valueLimit` are allowed.
        case valueTooLong(Int)
        /// The byte and its offset. Only visible ASCII and the space are allowed.
        case forbiddenByte(UInt8, offset: Int)
    }

    /// The header's name; empty when the name itself is refused.
    public let name: String
    public let problem: Problem

    public var description: String {
        switch problem {
        case .emptyName:
            "header name is empty"
        case .nameTooLong(let count):
            "header name has \(count) bytes, at most \(HeaderLine.nameLimit) are allowed"
        case .nameNotToken(let byte, let offset):
            "header name has byte \(hex(byte)) at offset \(offset), which an HTTP token cannot have"
        case .reservedName:
            "header \(name) is set only by the transport"
        case .blankValue:
            "header \(name) has no value"
        case .valueTooLong(let count):
            "value of header \(name) has \(count) bytes, at most \(HeaderLine.valueLimit) are allowed"
        case .forbiddenByte(let byte, let offset):
            "value of header \(name) has byte \(hex(byte)) at offset \(offset); only visible ASCII and space are allowed"
        }
    }

    private func hex(_ byte: UInt8) -> String {
        "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
