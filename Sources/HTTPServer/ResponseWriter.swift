/// Where the `stream` of a response writes.
public struct ResponseWriter: Sendable {
    private let push: @Sendable ([UInt8]) async throws -> Void

    /// - Parameter push: sends the bytes at once, returns when the client can take more, and throws `ClientGone`.
    init(_ push: @escaping @Sendable ([UInt8]) async throws -> Void) { self.push = push }

    /// Sends the bytes at once. Returns when the client can take more.
    ///
    /// - Throws: `ClientGone` when the connection is closed.
    public func write(_ bytes: [UInt8]) async throws { try await push(bytes) }
}

/// The connection is closed.
public struct ClientGone: Error {
    public init() {}
}
