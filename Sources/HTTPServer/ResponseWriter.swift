import NIOCore

/// Where the `stream` of a response writes.
public struct ResponseWriter: Sendable {
    private let handler: NIOLoopBound<ConnectionHandler>
    private let loop: any EventLoop

    init(_ handler: ConnectionHandler, on loop: any EventLoop) {
        self.handler = NIOLoopBound(handler, eventLoop: loop)
        self.loop = loop
    }

    /// Sends the bytes at once. Returns when the client can take more.
    ///
    /// - Throws: `ClientGone` when the connection is closed.
    public func write(_ bytes: [UInt8]) async throws {
        try await loop.flatSubmit { [handler] in handler.value.push(bytes) }.get()
    }
}

/// The connection is closed.
public struct ClientGone: Error {
    public init() {}
}
