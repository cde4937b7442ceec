/// A finished payload of one platform, ready to send, checked against what the platform would show.
struct NativePayload {
    let body: [UInt8]
    /// The row's headers, and the one that follows from the payload itself.
    let headers: [Post.Header]

    /// Bytes each platform takes at most (docs/wire/fcm-apns.md, "Sizes").
    private static let limits = [
        "apple": 4096, "fcmv1": 4096, "windows": 5120, "adm": 6144, "browser": 4096, "baidu": 4096, "xiaomi": 4096,
    ]
    /// The same for a call over Apple's VoIP service.
    private static let voipLimit = 5120

    /// - Parameters:
    ///   - content: JSON text.
    ///   - headers: the row's, checked by `ProviderHeaders`.
    /// - Throws: `too_large`, or what is wrong with the content and where.
    init(_ content: [UInt8], format: String, headers: [Post.Header]) throws(Unsendable) {
        guard let limit = NativePayload.limits[format] else {
            let known = (["template"] + NativePayload.limits.keys.sorted()).joined(separator: ", ")
            throw Unsendable("format", format, "it must be one of \(known)")
        }
        let root = try NativePayload.read(content)
        if format == "windows" {
            (body, self.headers) = try NativePayload.windows(root.value, content, headers)
        } else {
            guard case .object = root.value else {
                throw Unsendable(
                    "content", nil, "it is \(root.value.kind); a payload for \(format) is an object, in { }")
            }
            switch format {
            case "apple": try ApplePayload.check(root)
            case "fcmv1": try FCMPayload.check(root)
            case "adm": try NativePayload.checkADM(root)
            default: break  // browser, baidu and xiaomi: any object of the app's
            }
            (body, self.headers) = (content, headers)
        }
        try NativePayload.check(body.count, limit: limit, format, headers)
    }

    private static func read(_ content: [UInt8]) throws(Unsendable) -> PayloadNode {
        guard content.count <= Post.bodyLimit else {
            throw Unsendable(
                reason: .tooLarge, "content: it has \(content.count) bytes, a request takes at most \(Post.bodyLimit)")
        }
        do throws(JSONError) {
            return PayloadNode(path: "", value: try JSONNode(content).value)
        } catch {
            throw Unsendable("content", nil, "character \(error.position): \(error.rule)")
        }
    }

    static func checkADM(_ payload: PayloadNode) throws(Unsendable) {
        guard let data = payload["data"] else {
            throw Unsendable("content", nil, "data is missing; a payload for adm is {\"data\": {...}}")
        }
        try data.checkStrings()
    }

    /// A JSON column holds XML as a JSON string.
    private static func windows(
        _ value: JSONValue, _ content: [UInt8], _ headers: [Post.Header]
    ) throws(Unsendable) -> ([UInt8], [Post.Header]) {
        let type = headers.first { $0.name.lowercased() == "x-wns-type" }
        if type?.value == "wns/raw" {
            if case .string(let text) = value { return (Array(text.utf8), headers) }
            return (content, headers)
        }
        guard case .string(let xml) = value, WindowsPayload.isXML(xml) else {
            throw Unsendable(
                "content", nil,
                "it is not a string of XML; any other payload for windows needs the header X-WNS-Type: wns/raw")
        }
        if type != nil { return (Array(xml.utf8), headers) }
        guard let type = WindowsPayload.type(of: xml) else {
            throw Unsendable(
                "headers", "X-WNS-Type", "it is missing, and the root element is not toast, tile or badge")
        }
        return (Array(xml.utf8), headers + [Post.Header(name: "X-WNS-Type", value: type)])
    }

    private static func check(
        _ count: Int, limit: Int, _ format: String, _ headers: [Post.Header]
    ) throws(Unsendable) {
        let isCall =
            format == "apple" && headers.contains { $0.name.lowercased() == "apns-push-type" && $0.value == "voip" }
        let limit = isCall ? voipLimit : limit
        guard count > limit else { return }
        throw Unsendable(
            reason: .tooLarge,
            "content: it has \(count) bytes, \(isCall ? "a call over apple" : "a payload for \(format)") takes at most "
                + "\(limit)")
    }
}
