import NIOCore

/// Where an answer's `stream` writes.
public struct ResponseWriter: Sendable {
    private let conversation: NIOLoopBound<ConnectionHandler>
    private let loop: any EventLoop

    init(_ conversation: ConnectionHandler, on loop: any EventLoop) {
        self.conversation = NIOLoopBound(conversation, eventLoop: loop)
        self.loop = loop
    }

    /// The bytes leave at once. Returns when the client can take more.
    ///
    /// - Throws: `ClientGone` when there is nobody to write to any more.
    public func write(_ bytes: [UInt8]) async throws {
        try await loop.flatSubmit { [conversation] in conversation.value.push(bytes) }.get()
    }
}

/// The connection is no more.
public struct ClientGone: Error {
    public init() {}
}
