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

    /// RFC 9113 sections 3.4 and 4.2.
    private static let prefaceSize = 24
    private static let largestPayload = 16_384

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
        while let frame = FrameHead(in: buffer, at: end) {
            guard frame.size <= FrameHead.length + Self.largestPayload else {
                isBroken = true
                return nil
            }
            guard end + frame.size <= buffer.writerIndex else { break }
            if let lastStream, frame.stream > lastStream, frame.type != FrameHead.headers,
                frame.type != FrameHead.continuation
            {
                // What stands before it is kept.
                if kept == nil { kept = buffer.getSlice(at: start, length: end - start) }
                if frame.type == FrameHead.data { dropped += frame.size - FrameHead.length }
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
}
