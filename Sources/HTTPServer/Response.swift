public import HTTPTypes

/// The response to one request, and what happens to the connection.
public struct Response: Sendable {
    public var status: Int
    public var headers: HTTPFields
    public var body: [UInt8]
    /// Writes more after `body`, piece by piece, until it returns or the client closes. The response then has no
    /// length: it is chunked, or ends with the connection for HTTP/1.0. Runs in a task of its own, which is cancelled
    /// when the client ends its side or the listener closes; if it throws, the connection is closed in the middle of
    /// the response.
    public var stream: (@Sendable (ResponseWriter) async throws -> Void)?
    /// Wait before the head is sent.
    public var delayMilliseconds = 0
    /// Pause between the bytes of the body. 0: send it at once.
    public var trickleMilliseconds = 0
    /// How much of the response is sent, although all of it is announced.
    public var extent = Extent.whole
    public var closesConnection = false
    /// If the connection is closed: by RST instead of FIN.
    public var resetsConnection = false

    public enum Extent: Sendable, Equatable {
        case whole
        /// The head and half of the body, then the connection is closed.
        case halfTheBody
        /// The head alone, then the connection is closed.
        case head
    }

    public init(status: Int, headers: HTTPFields = HTTPFields(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
