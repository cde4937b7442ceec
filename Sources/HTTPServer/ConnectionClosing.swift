import Glibc
import NIOCore

extension ChannelHandlerContext {
    /// Closes the connection at once; past the TLS handler, which would wait for the client's close_notify.
    func closeNow() {
        if let tls = try? pipeline.syncOperations.context(name: TLSLayer.handlerName) {
            tls.close(promise: nil)
        } else {
            close(promise: nil)
        }
    }

    /// Closes the connection with RST: unsent bytes are dropped.
    func reset() {
        if let socket = channel as? any SocketOptionProvider {
            // It fails only for a closed channel.
            socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in }
        }
        closeNow()
    }
}
