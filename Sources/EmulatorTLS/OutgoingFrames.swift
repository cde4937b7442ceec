import NIOCore

/// What the framing writes, on its way out. In front of the framing.
///
/// SETTINGS get the limit of streams that the client is to know. NIOHTTP2 never learns of it: it would end the connection of a
/// client that opens one more, where APNs refuses that stream.
final class OutgoingFrames: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// Whether the answers to PINGs, which the framing writes itself, do not leave.
    var areAnswersToPingsLost = false
    /// MAX_CONCURRENT_STREAMS of the SETTINGS that follow, in their order.
    var streamLimits: [Int] = []
    /// Bytes that belong to a frame whose head has left already.
    private var open = 0

    /// The parameter's number, and the bytes of one parameter in SETTINGS (RFC 9113 sections 6.5.1 and 6.5.2).
    private static let maxConcurrentStreams: UInt16 = 0x3
    private static let parameterSize = 6

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(var buffer) = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        let lost = change(&buffer)
        guard !lost.isEmpty else { return context.write(wrapOutboundOut(.byteBuffer(buffer)), promise: promise) }
        var kept = context.channel.allocator.buffer(capacity: buffer.readableBytes)
        var index = buffer.readerIndex
        for range in lost {
            kept.writeImmutableBuffer(buffer.getSlice(at: index, length: range.lowerBound - index) ?? ByteBuffer())
            index = range.upperBound
        }
        kept.writeImmutableBuffer(buffer.getSlice(at: index, length: buffer.writerIndex - index) ?? ByteBuffer())
        guard kept.readableBytes > 0 else {
            promise?.succeed()
            return
        }
        context.write(wrapOutboundOut(.byteBuffer(kept)), promise: promise)
    }

    /// - Returns: where the frames are that do not leave.
    private func change(_ buffer: inout ByteBuffer) -> [Range<Int>] {
        var lost: [Range<Int>] = []
        var index = buffer.readerIndex
        while index < buffer.writerIndex {
            // The framing writes heads whole, and frames without a body of the app's, too.
            if open == 0 {
                guard let head = FrameHead(in: buffer, at: index) else { break }
                open = head.size
                if head.type == FrameHead.settings, !head.isAcknowledgement {
                    setLimit(in: &buffer, of: index + FrameHead.length..<index + head.size)
                } else if areAnswersToPingsLost, head.type == FrameHead.ping, head.isAcknowledgement {
                    lost.append(index..<min(index + head.size, buffer.writerIndex))
                }
            }
            let part = min(open, buffer.writerIndex - index)
            open -= part
            index += part
        }
        return lost
    }

    private func setLimit(in buffer: inout ByteBuffer, of parameters: Range<Int>) {
        for index in stride(from: parameters.lowerBound, to: parameters.upperBound, by: Self.parameterSize)
        where buffer.getInteger(at: index) == Self.maxConcurrentStreams && !streamLimits.isEmpty {
            buffer.setInteger(UInt32(streamLimits.removeFirst()), at: index + 2)
        }
    }
}
