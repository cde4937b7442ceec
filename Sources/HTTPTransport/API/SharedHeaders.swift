import CLibcurl

/// Header lines that many requests share: one hub, one token. A new token needs a new object.
///
/// libcurl and nghttp2 borrow the lines instead of copying them, so a request in flight keeps this object alive. They are freed
/// with the last request that points at them.
public final class SharedHeaders: Sendable {
    /// The list that each request's own lines link to. Never changed after `init`: libcurl and the loop only read it.
    nonisolated(unsafe) let list: UnsafeMutablePointer<curl_slist>?
    /// The same for HTTP/2.
    let fields: HeaderFields
    /// Names of lines whose values people never see.
    let secrets: [String]

    /// - Parameter lines: sent after the request's own lines, in this order.
    public init(_ lines: [HeaderLine]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = Self.append("\(line.name): \(line.value)", to: list) }
        // A name without a value keeps libcurl from sending its own: no waiting for "100 Continue", and no form type
        // for a body without a type. A line with a value, here or in the request, is still sent.
        list = Self.append("Expect:", to: list)
        list = Self.append("Content-Type:", to: list)
        self.list = list
        fields = HeaderFields(lines)
        secrets = lines.filter(\.isSecret).map(\.name)
    }

    deinit {
        curl_slist_free_all(list)
    }

    private static func append(
        _ line: String, to list: UnsafeMutablePointer<curl_slist>?
    ) -> UnsafeMutablePointer<curl_slist>? {
        let longer = curl_slist_append(list, line)
        // Out of memory stops the program, as with Swift's own arrays: sending without a token would be worse.
        precondition(longer != nil, "no memory for a header line")
        return longer
    }
}
