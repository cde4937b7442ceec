import NIOCore

/// Hands whole frames on to the framing, and after a GOAWAY none of streams above its last one but their headers: NIOHTTP2 reads
/// over such headers, whose compression goes on, and takes everything behind them for a fault of the client.
final class FrameGate: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Of the GOAWAY that was sent; nil: none was.
    var lastStream: Int?
    /// Called with the bytes of dropped DATA, which count for the client's window (RFC 9113 section 6.9).
    var credit: (Int) -> Void = { _ in }
    private var rest = ByteBuffer()
    private var isBehindPreface = false
    /// A frame is larger than we allow: the framing refuses it.
    private var isBroken = false

    /// RFC 9113 sections 3.4, 4.1 and 4.2.
    private static let prefaceSize = 24
    private static let headSize = 9
    private static let largestPayload = 16_384

    private static let data: UInt8 = 0x0
    private static let headers: UInt8 = 0x1
    private static let continuation: UInt8 = 0x9

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        if rest.readableBytes > 0 {
            rest.writeBuffer(&buffer)
            buffer = rest
            rest = ByteBuffer()
        }
        guard !isBroken, let whole = wholeFrames(in: &buffer, context) else {
            return context.fireChannelRead(wrapInboundOut(buffer))
        }
        rest = buffer
        if whole.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(whole)) }
    }

    /// - Returns: the frames to hand on; `buffer` keeps what is incomplete. nil: a frame is too large.
    private func wholeFrames(in buffer: inout ByteBuffer, _ context: ChannelHandlerContext) -> ByteBuffer? {
        let start = buffer.readerIndex
        var end = start
        if !isBehindPreface {
            guard buffer.readableBytes >= Self.prefaceSize else { return ByteBuffer() }
            isBehindPreface = true
            end += Self.prefaceSize
        }
        var kept: ByteBuffer?
        var dropped = 0
        while let frame = Self.frame(in: buffer, at: end) {
            guard frame.size <= Self.headSize + Self.largestPayload else {
                isBroken = true
                return nil
            }
            guard end + frame.size <= buffer.writerIndex else { break }
            if let lastStream, frame.stream > lastStream, frame.type != Self.headers, frame.type != Self.continuation {
                // What stands before it is kept.
                if kept == nil { kept = buffer.getSlice(at: start, length: end - start) }
                if frame.type == Self.data { dropped += frame.size - Self.headSize }
            } else if kept != nil, var part = buffer.getSlice(at: end, length: frame.size) {
                kept?.writeBuffer(&part)
            }
            end += frame.size
        }
        if dropped > 0 { credit(dropped) }
        let whole = kept ?? buffer.getSlice(at: start, length: end - start) ?? ByteBuffer()
        buffer.moveReaderIndex(to: end)
        return whole
    }

    private static func frame(in buffer: ByteBuffer, at index: Int) -> (size: Int, type: UInt8, stream: Int)? {
        guard let length = buffer.getInteger(at: index, as: UInt32.self), index + headSize <= buffer.writerIndex,
            let stream = buffer.getInteger(at: index + 5, as: UInt32.self)
        else { return nil }
        return (headSize + Int(length >> 8), UInt8(length & 0xFF), Int(stream & 0x7FFF_FFFF))
    }
}
