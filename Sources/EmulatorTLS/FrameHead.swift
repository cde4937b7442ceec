import NIOCore

/// The head of a frame (RFC 9113 section 4.1).
struct FrameHead {
    /// Bytes of the frame with its head.
    let size: Int
    let type: UInt8
    let flags: UInt8
    let stream: Int

    /// Bytes.
    static let length = 9

    /// Types of frames (RFC 9113 section 6).
    static let data: UInt8 = 0x0
    static let headers: UInt8 = 0x1
    static let settings: UInt8 = 0x4
    static let ping: UInt8 = 0x6
    static let continuation: UInt8 = 0x9

    /// Of SETTINGS and PING: the frame acknowledges one of the other side's.
    var isAcknowledgement: Bool { flags & 0x1 != 0 }

    /// nil: the buffer ends within it.
    init?(in buffer: ByteBuffer, at index: Int) {
        guard let length = buffer.getInteger(at: index, as: UInt32.self), index + Self.length <= buffer.writerIndex,
            let flags = buffer.getInteger(at: index + 4, as: UInt8.self),
            let stream = buffer.getInteger(at: index + 5, as: UInt32.self)
        else { return nil }
        size = Self.length + Int(length >> 8)
        type = UInt8(length & 0xFF)
        self.flags = flags
        self.stream = Int(stream & 0x7FFF_FFFF)
    }
}
