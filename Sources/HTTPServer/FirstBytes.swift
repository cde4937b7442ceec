import NIOCore

/// Reads the first bytes of a client that has named no protocol in ALPN: the preface of HTTP/2 chooses that (RFC 9113 section
/// 3.4), anything else HTTP/1.1. RFC 9113 asks such clients to name it, and some clients of APNs do not.
final class FirstBytes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let choose: (Bool, any Channel) throws -> Void
    private var kept = ByteBuffer()

    /// - Parameter choose: adds HTTP/2, or HTTP/1.1 for false, behind this handler.
    init(_ choose: @escaping (Bool, any Channel) throws -> Void) { self.choose = choose }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        kept.writeBuffer(&buffer)
        let beginning = kept.readableBytesView.prefix(Self.preface.count)
        let isPreface = Self.preface.starts(with: beginning)
        if isPreface, beginning.count < Self.preface.count { return }
        do {
            try choose(isPreface, context.channel)
        } catch {
            return context.fireErrorCaught(error)
        }
        context.fireChannelRead(wrapInboundOut(kept))
        kept = ByteBuffer()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
