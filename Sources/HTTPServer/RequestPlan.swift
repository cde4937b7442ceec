public import HTTPTypes

/// Decides what to do with a request when its head has arrived. Called on an event loop: must not block. The request's target
/// is as it came: nothing in it is decoded.
public typealias Responder = @Sendable (HTTPRequest) -> RequestPlan

/// A `Responder` that also knows the connection, and by it the client's address.
public typealias ConnectionResponder = @Sendable (HTTPRequest, PeerConnection) -> RequestPlan

/// What to do with a request, decided by its head.
public enum RequestPlan: Sendable {
    /// Answer without the body. If the request has one, the connection ends with the response.
    case withoutBody(ResponsePlan)
    /// Collect the body first, at most `limit` bytes. `then` is called on an event loop: it must not block.
    case body(limit: Int, then: @Sendable (UploadedBody) -> ResponsePlan)
}

/// How to answer, once nothing more has to be read.
public enum ResponsePlan: Sendable {
    case answer(Response)
    /// A response that has to wait for something: made in a task of its own, which is cancelled when the connection or
    /// the listener closes. If it throws, the connection is closed.
    case later(@Sendable () async throws -> Response)
    /// Close the connection without a response.
    case hangUp(isReset: Bool, delayMilliseconds: Int)
    /// HTTP/2: reset this stream alone, with a code of RFC 9113 section 7. HTTP/1.1: as `hangUp` with a reset.
    case resetStream(code: UInt32, delayMilliseconds: Int)
    /// Nothing is ever sent, and the connection stays open.
    case silence
}

/// The body of a request, collected within bounds.
public struct UploadedBody: Sendable {
    /// nil: it is larger than the limit.
    public let bytes: [UInt8]?

    /// Bytes beyond the limit that are read and dropped, so that a client that is slightly over reads its 413 instead
    /// of a reset.
    public static let slack = 1_048_576

    public init(bytes: [UInt8]?) { self.bytes = bytes }
}
