public import HTTPTypes

/// What a server does with a request whose head has just arrived. Called on an event loop: it must not block.
public typealias Responder = @Sendable (HTTPRequest) -> Intake

/// What is to become of a request, decided by its head.
public enum Intake: Sendable {
    /// Nobody needs the body. Should one come, the connection ends with the answer.
    case withoutBody(Reaction)
    /// The body is collected first, at most `limit` bytes of it.
    ///
    /// - `then`: called on an event loop: it must not block.
    case body(limit: Int, then: @Sendable (UploadedBody) -> Reaction)
}

/// What follows when there is nothing more to read.
public enum Reaction: Sendable {
    case answer(Answer)
    /// An answer that has to wait for something: made in a task of its own, which is cancelled when the connection is
    /// no more or the listener closes. What it throws closes the connection.
    case later(@Sendable () async throws -> Answer)
    /// The connection ends without a word.
    case hangUp(isReset: Bool, delayMilliseconds: Int)
}
