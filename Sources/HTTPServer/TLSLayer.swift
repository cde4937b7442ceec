public import NIOCore

/// TLS for the connections of one address. This module has no TLS library: the caller makes the handler.
public struct TLSLayer: Sendable {
    /// Finds the handler in a pipeline: `ConnectionHandler.close` closes from there, and so past it.
    static let handlerName = "TLS"

    let makeHandler: @Sendable () throws -> any ChannelHandler

    /// - Parameter makeHandler: makes the TLS handler of one connection; called on its event loop.
    public init(_ makeHandler: @escaping @Sendable () throws -> any ChannelHandler) { self.makeHandler = makeHandler }
}
