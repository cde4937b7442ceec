public import HTTPTypes

/// What goes back for one request, and how the connection fares.
public struct Response: Sendable {
    public var status: Int
    public var headers: HTTPFields
    public var body: [UInt8]
    /// Written after `body`, piece by piece, until it returns or the client is gone. Then no length is said: the answer
    /// is chunked, or for HTTP/1.0 ends with the connection. Runs in a task of its own, which is cancelled when the
    /// client ends its side or the listener closes; what it throws closes the connection in the middle of the answer.
    public var stream: (@Sendable (ResponseWriter) async throws -> Void)?
    /// Waited before the head leaves.
    public var delayMilliseconds = 0
    /// Pause between the bytes of the body. 0: it leaves at once.
    public var trickleMilliseconds = 0
    /// How much of the answer leaves, although all of it is announced.
    public var extent = Extent.whole
    public var closesConnection = false
    /// Where the connection is closed, by RST instead of FIN.
    public var resetsConnection = false

    public enum Extent: Sendable, Equatable {
        case whole
        /// The head and half of the body; then the connection ends.
        case halfTheBody
        /// The head alone; then the connection ends.
        case head
    }

    public init(status: Int, headers: HTTPFields = HTTPFields(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
