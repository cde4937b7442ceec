public import NIOCore

/// HTTP/2 for connections whose client chooses it. This module has no HTTP/2 library: the caller adds its handlers.
public struct HTTP2Framing: Sendable {
    /// What adds the handlers of one request, with `HTTPServerRequestPart` and `HTTPServerResponsePart` of NIOHTTP1 as
    /// input and output. Called on the connection's event loop.
    public typealias AddRequest = @Sendable (any Channel) throws -> Void

    /// The protocol's name in ALPN (RFC 9113 section 3.2).
    static let protocolName = "h2"

    let add: @Sendable (any Channel, Int, @escaping AddRequest) throws -> Void

    /// - Parameter add: adds the protocol to a connection, with the number of streams that its first SETTINGS allow, and
    ///   calls `AddRequest` for the channel of every request; called on the connection's event loop. An error in the frames has
    ///   to reach the end of the pipeline. It does what `ConnectionEvent` and `StreamReset` ask for.
    public init(_ add: @escaping @Sendable (any Channel, Int, @escaping AddRequest) throws -> Void) {
        self.add = add
    }
}
