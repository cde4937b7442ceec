import HTTPServer
import HTTPTypes
import Pages
import PushModel
import Signing

/// One request to the emulator: method, decoded path and query, headers.
struct EmulatorRequest: Sendable {
    let method: HTTPRequest.Method
    /// As received, without the query.
    let path: String
    /// The segments of the path, percent-decoded, without empty ones (a trailing slash makes one).
    let segments: [String]
    let headers: HTTPFields
    let host: String
    /// `http://host` or `https://host`, as the client connected.
    let origin: String
    /// How faults change the clock and the keys for this request.
    var faultEffects = FaultEffects()
    /// As received, with the question mark. Empty: no query.
    let rawQuery: String
    private let query: [(name: String, value: String)]

    /// nil: the request was made in this process.
    let connection: PeerConnection?

    /// nil: the target is not a path, or is not percent-encoded UTF-8.
    init?(_ head: HTTPRequest, on connection: PeerConnection? = nil) {
        self.connection = connection
        guard let target = head.path.flatMap(RequestTarget.init) else { return nil }
        path = target.path
        segments = target.segments
        rawQuery = target.rawQuery
        method = head.method
        headers = head.headerFields
        host = head.authority ?? ""
        origin = "\(head.scheme ?? "http")://\(host)"
        query = rawQuery.dropFirst().split(scalar: "&").map { pair in
            let sides = pair.split(scalar: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = sides.count > 1 ? sides[1] : ""
            // A value that is not properly encoded is taken literally: the service is lenient here.
            // Some clients encode the `$` of `$top`.
            let name = PercentEncoding.decode(sides[0]) ?? String(sides[0])
            return (name.lowercased(), PercentEncoding.decode(value) ?? String(value))
        }
    }

    /// The value of a header. Several headers with this name are joined.
    subscript(name: HTTPField.Name) -> String? {
        var value: String?
        for field in headers where field.name == name {
            // There is nearly always just one, and `headers[name]` costs more than this search.
            if value != nil { return headers[name] }
            value = field.value
        }
        return value
    }

    var authorization: String { self[.authorization] ?? "" }

    /// Windows: opaque bytes for the app.
    var isRaw: Bool { self[.wnsType]?.lowercased() == "wns/raw" }

    /// The value of a query parameter. Empty: it has no value (`&direct`). nil: it is absent.
    func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// The value of a query parameter in form encoding, where `+` is a space: so .NET, Java, JavaScript and iOS write
    /// `$filter`. In a value with `%20`, a `+` stays a plus: its client writes spaces the other way.
    func formParameter(_ name: String) -> String? {
        for pair in rawQuery.dropFirst().split(scalar: "&") {
            let sides = pair.split(scalar: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard (PercentEncoding.decode(sides[0]) ?? String(sides[0])).lowercased() == name else { continue }
            let value = sides.count > 1 ? String(sides[1]) : ""
            let plain = value.contains("%20") ? value : value.replacing(scalars: "+", with: " ")
            return PercentEncoding.decode(plain) ?? plain
        }
        return nil
    }

    /// Whether a flag is set: `direct`, `direct=` or `direct=true`.
    func isOn(_ name: String) -> Bool {
        guard let value = parameter(name) else { return false }
        return value.lowercased() != "false"
    }
}

// API version.
extension EmulatorRequest {
    /// nil: the query has none; the service then uses its newest.
    ///
    /// - Throws: 400 for a version that never existed. The text is ours.
    func apiVersion() throws(ServiceError) -> APIVersion? {
        guard let text = parameter("api-version") else { return nil }
        guard let version = APIVersion(text) else {
            throw .badRequest("The api-version '\(text.prefix(40))' is not supported.")
        }
        return version
    }

    /// For places where an invalid version does not matter: also nil for a version that never existed.
    var version: APIVersion? { parameter("api-version").flatMap { APIVersion($0) } }
}

// Headers for the platform services.
extension EmulatorRequest {
    /// The headers of a send that the hub passes on to the platform service, with names as received
    /// (docs/wire/notification-hubs.md, "Requests").
    var platformHeaders: [String: String] {
        var platformHeaders: [String: String] = [:]
        for field in headers where Self.isForPlatform(field.name.canonicalName) {
            platformHeaders[field.name.rawName] = field.value
        }
        return platformHeaders
    }

    /// - Parameter name: in lower case.
    static func isForPlatform(_ name: String) -> Bool {
        name.hasPrefix("apns-") || name.hasPrefix("x-wns-") || name == "x-windowsphone-target"
            || name == "x-notificationclass" || name == "x-baidu-message-type"
            || name == "servicebusnotification-apns-expiry"
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
    static let trackingID = HTTPField.Name("TrackingId")!
    static let continuationToken = HTTPField.Name("X-MS-ContinuationToken")!
    static let correlationID = HTTPField.Name("x-ms-correlation-request-id")!
    static let plainRetryAfterMilliseconds = HTTPField.Name("retry-after-ms")!
    static let retryAfterMilliseconds = HTTPField.Name("x-ms-retry-after-ms")!
}
