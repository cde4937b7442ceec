import HTTPTransport
import PushModel
import Signing

extension APNsEnvironment {
    public var endpoint: String {
        switch self {
        case .production: "https://api.push.apple.com"
        case .sandbox: "https://api.sandbox.push.apple.com"
        }
    }
}

/// The Apple Push Notification service, over its provider API (docs/wire/fcm-apns.md).
public struct APNs: Sendable {
    public let host: String
    public var http2: HTTP2Settings? { Self.connections }
    /// `https://api.push.apple.com/3/device/`
    private let devices: String
    /// The app's bundle id; nil: the certificate's own.
    private let topic: String?
    let environment: APNsEnvironment
    private let database: UInt64
    /// The lines that pushes of one type share, by type.
    private let shared: [ApplePushType: PassHeaders]
    private let userAgent: HeaderLine

    /// - Parameters:
    ///   - topic: the app's bundle id, to which the suffix of a push type is added. nil: `apns-topic` is left out, which only a
    ///     certificate for one topic allows.
    ///   - endpoint: https, or http on loopback. Default: that of the environment.
    ///   - database: tells the ids of this database's pushes from those of others; its lower 60 bits count.
    ///   - version: ours, for `User-Agent: fanfare/VERSION`. Default: `dev`.
    /// - Throws: `InvalidHub` for a topic, an endpoint or a version that does not fit into a request.
    public init(
        topic: String?, environment: APNsEnvironment, endpoint: String? = nil, database: UInt64, version: String = "dev"
    ) throws(InvalidHub) {
        if let topic, !BundleID.isBundleID(topic) { throw .topic }
        let address: WebAddress
        do throws(WebAddressError) {
            address = try WebAddress(endpoint ?? environment.endpoint)
        } catch {
            throw .endpoint(error)
        }
        let userAgent: HeaderLine
        var shared: [ApplePushType: PassHeaders] = [:]
        do throws(HeaderError) {
            userAgent = try HeaderLine("user-agent", "fanfare/\(version)")
            for type in ApplePushType.allCases {
                let topic = topic.map { $0 + type.topicSuffix }
                shared[type] = PassHeaders(others: try Self.lines(of: type, topic: topic, userAgent))
            }
        } catch {
            throw .version(error)
        }
        host = address.host
        devices = (address.text.hasSuffix("/") ? address.text : address.text + "/") + "3/device/"
        self.topic = topic
        self.environment = environment
        self.database = database
        self.shared = shared
        self.userAgent = userAgent
    }

    /// Whether a text can be a device token: hexadecimal digits, an even number of them. Apple asks not to rely on a length, and
    /// none has more than 200 today.
    public static func isToken(_ text: String) -> Bool {
        (2...HubKind.apns.facts.handleBytes).contains(text.utf8.count) && text.utf8.count.isMultiple(of: 2)
            && text.utf8.allSatisfy(\.isHexadecimal)
    }

    private static func lines(
        of type: ApplePushType, topic: String?, _ userAgent: HeaderLine
    ) throws(HeaderError) -> [HeaderLine] {
        let lines = [
            try HeaderLine("apns-push-type", type.rawValue), try HeaderLine("content-type", "application/json"),
            userAgent,
        ]
        guard let topic else { return lines }
        return [try HeaderLine("apns-topic", topic)] + lines
    }

    /// A push to one device.
    public func request(for post: Post, id: Int64, with pass: Pass) throws(InvalidPost) -> Request {
        guard post.format == "apple" else { throw .notApple }
        let token = try Self.token(of: post.target)
        let headers = try PushHeaders(post)
        let limit = headers.type.payloadLimit
        guard post.body.count <= limit else { throw .payloadTooLarge(post.body.count, limit: limit) }
        if headers.type == .location, pass.header == nil { throw .locationByCertificate }
        let lines: [HeaderLine]
        do throws(HeaderError) {
            lines = try headers.lines(id: PushID(database: database, post: id))
        } catch {
            throw .header(error)
        }
        return Request(
            id: id, url: devices + token, shared: try shared(headers, with: pass), headers: lines, body: post.body,
            group: ConnectionGroup(pass))
    }

    private func shared(_ headers: PushHeaders, with pass: Pass) throws(InvalidPost) -> SharedHeaders {
        guard let named = headers.topic, named != topic.map({ $0 + headers.type.topicSuffix }) else {
            guard topic != nil || headers.type.topicSuffix.isEmpty else { throw .noTopic }
            // There is one for each type.
            guard let known = shared[headers.type] else { throw .headerValue(name: "apns-push-type") }
            return try known.headers(for: pass)
        }
        // A watch app, or an extension, has a topic of its own below the app's.
        if let topic, named != topic, !named.hasPrefix(topic + ".") { throw .topicOfOther }
        let others: [HeaderLine]
        do throws(HeaderError) {
            others = try Self.lines(of: headers.type, topic: named, userAgent)
        } catch {
            throw .header(error)
        }
        return SharedHeaders(try PassHeaders(others: others).lines(for: pass))
    }

    /// In lower case, as phones print it.
    private static func token(of target: Target) throws(InvalidPost) -> String {
        guard case .handles(let handles) = target else { throw .onlyHandles }
        guard handles.count == 1 else { throw .severalHandles(handles.count) }
        guard isToken(handles[0]) else { throw .deviceToken }
        return handles[0].lowercased()
    }

    /// Apple has no test: APNs sends, or refuses.
    ///
    /// - Throws: always, `.noTestSends`.
    public func testRequest(
        for post: Post, id: Int64, with pass: Pass, tracking: String? = nil
    ) throws(InvalidPost) -> Request {
        throw .noTestSends
    }

    /// Two connections carry the largest window. Apple closes neither an idle one nor one that is a day old, and asks not to open
    /// and close them often (docs/wire/fcm-apns.md, "Connections to APNs").
    private static let connections: HTTP2Settings = {
        var settings = HTTP2Settings()
        settings.connections = 2
        settings.streams = 256
        return settings
    }()

    // MARK: - A question

    /// A push to no phone: APNs knows no device token of one byte. It refuses the token of a sender that it lets in
    /// (`BadDeviceToken`), and all other senders before it looks at that.
    public static let nobody = Post(
        messages: [0], target: .handles(["00"]), format: "apple", body: Array(#"{"aps":{"content-available":1}}"#.utf8))

    /// Reads the answer to `nobody`: `accepted` when APNs lets us in.
    public func answer(forNobody reply: Reply) -> Answer {
        let answer = answer(to: reply)
        switch answer.verdict {
        case .targetInvalid, .targetGone: return Answer(verdict: .accepted, status: answer.status)
        default: return answer
        }
    }
}
