import HTTPTypes
import Signing

/// One request as the emulator looks at it: where it goes, and what its headers say.
struct EmulatorRequest: Sendable {
    let method: HTTPRequest.Method
    /// As received, without the query.
    let path: String
    /// The path's parts, percent-decoded; empty ones, as of a trailing slash, are left out.
    let segments: [String]
    let headers: HTTPFields
    let host: String
    /// `http://host` or `https://host`, as the client came in.
    let origin: String
    /// How faults bend the clock and the keys for this call.
    var distortion = FaultEffects()
    /// As received, with its question mark; empty when there is none.
    let rawQuery: String
    private let query: [(name: String, value: String)]

    /// nil: the target is not a path, or not percent-encoded UTF-8.
    init?(_ head: HTTPRequest) {
        guard let target = head.path, target.hasPrefix("/") else { return nil }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        var decoded: [String] = []
        for part in parts[0].split(separator: "/") {
            guard let text = PercentEncoding.decode(part) else { return nil }
            decoded.append(text)
        }
        segments = decoded
        method = head.method
        headers = head.headerFields
        host = head.authority ?? ""
        origin = "\(head.scheme ?? "http")://\(host)"
        rawQuery = parts.count > 1 ? "?" + parts[1] : ""
        query = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = sides.count > 1 ? sides[1] : ""
            // Where a value is not properly encoded, it is taken as it stands: the service is lenient here.
            // Some clients encode the `$` of `$top`.
            let name = PercentEncoding.decode(sides[0]) ?? String(sides[0])
            return (name.lowercased(), PercentEncoding.decode(value) ?? String(value))
        }
    }

    /// The value of a header; of several with this name, what they say together.
    subscript(name: HTTPField.Name) -> String? {
        var value: String?
        for field in headers where field.name == name {
            // Nearly always there is one, and joining it with nothing would cost more than the search.
            if value != nil { return headers[name] }
            value = field.value
        }
        return value
    }

    var authorization: String { self[.authorization] ?? "" }

    /// Windows: bytes for the app, in no form the service knows.
    var isRaw: Bool { self[.wnsType]?.lowercased() == "wns/raw" }

    /// The value of a query parameter; empty when it has none (`&direct`), nil when it is not there.
    func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// A switch such as `direct`, `direct=` or `direct=true`.
    func isOn(_ name: String) -> Bool {
        guard let value = parameter(name) else { return false }
        return value.lowercased() != "false"
    }
}

extension HTTPField.Name {
    // The names are tokens, so the forced unwraps hold.
    static let format = HTTPField.Name("ServiceBusNotification-Format")!
    static let tags = HTTPField.Name("ServiceBusNotification-Tags")!
    static let deviceHandle = HTTPField.Name("ServiceBusNotification-DeviceHandle")!
    static let webPushAuth = HTTPField.Name("Auth")!
    static let webPushKey = HTTPField.Name("P256DH")!
    static let wnsType = HTTPField.Name("X-WNS-Type")!
    static let misspeltTags = HTTPField.Name("Tags")!
    static let trackingID = HTTPField.Name("TrackingId")!
    static let continuationToken = HTTPField.Name("X-MS-ContinuationToken")!
    static let correlationID = HTTPField.Name("x-ms-correlation-request-id")!
    static let plainRetryAfterMilliseconds = HTTPField.Name("retry-after-ms")!
    static let retryAfterMilliseconds = HTTPField.Name("x-ms-retry-after-ms")!
}
