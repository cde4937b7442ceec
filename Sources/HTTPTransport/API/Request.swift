import CLibcurl
import Glibc

/// One request, ready to leave.
public struct Request: Sendable {
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// The caller's own number, returned as `Reply.id`.
    public var id: Int64
    public var method: Method
    /// Absolute URL. Comes from the configuration; text out of a row has to be escaped.
    public var url: String
    /// Header lines that many requests share (Authorization, format, content type). Each request keeps them alive.
    public var shared: SharedHeaders
    /// Header lines of this request alone. `HeaderLine` has refused control characters.
    public var headers: [HeaderLine]
    public var body: [UInt8]
    /// What it may share a connection with. Default: everything that goes to the same origin.
    public var group: ConnectionGroup

    public init(
        id: Int64 = 0, method: Method = .post, url: String, shared: SharedHeaders, headers: [HeaderLine] = [],
        body: [UInt8] = [], group: ConnectionGroup = ConnectionGroup()
    ) {
        self.id = id
        self.method = method
        self.url = url
        self.shared = shared
        self.headers = headers
        self.body = body
        self.group = group
    }
}

extension Request {
    /// The header lines of this request, for people: secret values are masked.
    ///
    /// libcurl adds `Host`, `Accept: */*` and `Content-Length`.
    public var shownHeaders: [(name: String, value: String)] {
        var shown = headers.map { (name: $0.name, value: $0.value) }
        let secrets = shared.secrets + headers.filter(\.isSecret).map(\.name)
        // The list is never changed, and `shared` lives as long as this request.
        var line = shared.list
        while let node = line {
            // A line without a value makes libcurl omit that header: it is never sent.
            if let data = node.pointee.data, let colon = strchr(data, Int32(UInt8(ascii: ":"))), colon[1] != 0 {
                let name = UnsafeRawBufferPointer(start: data, count: colon - data)
                shown.append((String(decoding: name, as: UTF8.self), String(cString: colon + 2)))
            }
            line = node.pointee.next
        }
        return shown.map { header in
            guard secrets.contains(header.name) else { return header }
            let scheme = header.value.prefix { $0 != " " }
            return (header.name, scheme.count < header.value.count ? "\(scheme) •••" : "•••")
        }
    }
}
