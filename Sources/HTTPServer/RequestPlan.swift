public import HTTPTypes

/// What a server does with a request whose head has just arrived. Called on an event loop: it must not block.
public typealias Responder = @Sendable (HTTPRequest) -> RequestPlan

/// What is to become of a request, decided by its head.
public enum RequestPlan: Sendable {
    /// Nobody needs the body. Should one come, the connection ends with the answer.
    case withoutBody(ResponsePlan)
    /// The body is collected first, at most `limit` bytes of it.
    ///
    /// - `then`: called on an event loop: it must not block.
    case body(limit: Int, then: @Sendable (UploadedBody) -> ResponsePlan)
}

/// What follows when there is nothing more to read.
public enum ResponsePlan: Sendable {
    case answer(Response)
    /// An answer that has to wait for something: made in a task of its own, which is cancelled when the connection is
    /// no more or the listener closes. What it throws closes the connection.
    case later(@Sendable () async throws -> Response)
    /// The connection ends without a word.
    case hangUp(isReset: Bool, delayMilliseconds: Int)
}
