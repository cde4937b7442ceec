public import NIOCore

/// TLS for the connections of one address, and HTTP/2 for clients that choose it with ALPN. This module has no TLS library:
/// the caller makes the handler.
public struct TLSLayer: Sendable {
    /// Finds the handler in a pipeline: `ConnectionHandler.close` closes from there, and so past it.
    static let handlerName = "TLS"

    let makeHandler: @Sendable () throws -> any ChannelHandler
    let http2: HTTP2Framing?
    let clientName: (@Sendable (any Channel) -> String?)?
    /// Streams that a client of HTTP/2 may have open from the start. Default: 100.
    public var firstStreams = 100

    /// - Parameters:
    ///   - http2: nil: every connection speaks HTTP/1.1. Otherwise those do whose handshake did not agree on `h2`.
    ///   - clientName: who the client of a connection is by its certificate; nil: it has shown none. Called on the
    ///     connection's event loop, after its handshake.
    ///   - makeHandler: makes the TLS handler of one connection, which reports the end of the handshake as NIOTLS's
    ///     `TLSUserEvent`; called on the connection's event loop.
    public init(
        http2: HTTP2Framing? = nil, clientName: (@Sendable (any Channel) -> String?)? = nil,
        _ makeHandler: @escaping @Sendable () throws -> any ChannelHandler
    ) {
        self.http2 = http2
        self.clientName = clientName
        self.makeHandler = makeHandler
    }
}
