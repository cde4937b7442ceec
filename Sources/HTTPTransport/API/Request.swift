/// One request, ready to leave.
public struct Request: Sendable {
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// The caller's own number; comes back in `Reply.id`. The transport gives it no meaning.
    public var id: Int64
    public var method: Method
    /// Absolute URL. Built from configuration only; nothing out of a row goes into it unescaped.
    public var url: String
    /// Header lines that many requests share (Authorization, format, content type). Kept alive by every request.
    public var shared: SharedHeaders
    /// Header lines of this request alone, `Name: value`. Checked by `HeaderLine`: control characters never pass.
    public var headers: [HeaderLine]
    public var body: [UInt8]

    public init(
        id: Int64 = 0, method: Method = .post, url: String, shared: SharedHeaders, headers: [HeaderLine] = [],
        body: [UInt8] = []
    ) {
        self.id = id
        self.method = method
        self.url = url
        self.shared = shared
        self.headers = headers
        self.body = body
    }
}
