/// A finished payload of one platform, ready to send, checked against what the platform would show.
struct NativePayload {
    let body: [UInt8]
    /// The row's headers, and what follows from the payload itself: `X-WNS-Type`, or the priority of a background push.
    let headers: [Post.Header]

    /// - Parameters:
    ///   - content: JSON text.
    ///   - headers: the row's, checked by `ProviderHeaders`.
    ///   - limit: bytes that a request takes; the format's own limit may be less.
    /// - Throws: `too_large`, or what is wrong with the content and where.
    init(_ content: [UInt8], format: String, headers: [Post.Header], limit: Int) throws(Unsendable) {
        guard let rules = PayloadRules.all.formats[format], let bytes = rules.bytes else {
            let known = PayloadRules.all.formats.keys.sorted().joined(separator: ", ")
            throw Unsendable("format", format, "it must be one of \(known)")
        }
        func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
        let value = try NativePayload.read(content, limit)
        // A JSON column holds XML as a JSON string.
        if format == "windows", case .string(let text) = value { body = Array(text.utf8) } else { body = content }
        let isCall = header("apns-push-type") == "voip"
        var context = PayloadContext(format: rules)
        for header in headers { context.headers[header.name.lowercased()] = header.value }
        context.size = (body.count, isCall ? rules.callBytes ?? bytes : bytes)
        if let fault = PayloadFault(in: value, rules: format, context) { throw fault.refusal(of: "content") }
        self.headers = headers + NativePayload.following(from: value, format, context)
    }

    /// What a row leaves out because the payload says it.
    private static func following(
        from payload: JSONValue, _ format: String, _ context: PayloadContext
    ) -> [Post.Header] {
        if format == "windows", context.xmlType == nil, case .string(let xml) = payload,
            let type = WindowsPayload.type(of: xml)
        {
            return [Post.Header(name: "X-WNS-Type", value: type)]
        }
        // Without it the priority is 10, with which APNs refuses a background push.
        guard format == "apple", context.headers["apns-priority"] == nil,
            (context.headers["apns-push-type"] ?? "background") == "background",
            payload["aps"]?["content-available"] == .number("1"),
            ["alert", "badge", "sound"].allSatisfy({ payload["aps"]?[$0] == nil })
        else { return [] }
        return [Post.Header(name: "apns-priority", value: "5")]
    }

    private static func read(_ content: [UInt8], _ limit: Int) throws(Unsendable) -> JSONValue {
        guard content.count <= limit else {
            throw Unsendable(
                reason: .tooLarge, "content: it has \(content.count) bytes, a request takes at most \(limit)")
        }
        do throws(JSONError) {
            return try JSONNode(content).value
        } catch {
            throw Unsendable("content", nil, "character \(error.position): \(error.rule)")
        }
    }
}
