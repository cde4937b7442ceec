import HTTPTransport
import PushModel
import Signing

/// Firebase Cloud Messaging over its HTTP v1 interface (docs/wire/fcm-apns.md).
public struct FCM: Sendable {
    public let host: String
    /// `https://fcm.googleapis.com/v1/projects/P/messages:send`
    private let url: String
    public let http2: HTTP2Settings?
    private let broadcastTopic: String?
    /// Whether a message may have been delivered that FCM answered with 500 or 503.
    let doubtsUnavailable: Bool
    private let shared: PassHeaders
    private let now: @Sendable () -> Double

    public static let endpoint = "https://fcm.googleapis.com"

    /// - Parameters:
    ///   - project: id or number of the Firebase project.
    ///   - endpoint: default: Google's.
    ///   - broadcastTopic: the topic that stands for every device. Default: none, and a broadcast is refused.
    ///   - doubtsUnavailable: whether a message is in doubt after a 500 or 503. Default: false, it is sent again.
    ///   - version: ours, for `User-Agent: fanfare/VERSION`. Default: `dev`.
    ///   - now: seconds since 1970-01-01 UTC, for the life that a message has left.
    /// - Throws: `InvalidHub` for a project, an endpoint or a topic that does not fit into a request.
    public init(
        project: String, endpoint: String = FCM.endpoint, broadcastTopic: String? = nil,
        doubtsUnavailable: Bool = false,
        version: String = "dev", now: @escaping @Sendable () -> Double
    ) throws(InvalidHub) {
        guard (1...100).contains(project.utf8.count), project.contains(where: { $0 != "." }) else { throw .project }
        guard broadcastTopic.map(Topic.isTopic) ?? true else { throw .broadcastTopic }
        let address: WebAddress
        do throws(WebAddressError) {
            address = try WebAddress(endpoint)
        } catch {
            throw .endpoint(error)
        }
        host = address.host
        // The emulator's plain port speaks HTTP/1.1.
        http2 = address.text.hasPrefix("https:") ? Self.connections : nil
        let base = address.text.hasSuffix("/") ? String(address.text.dropLast()) : address.text
        url = "\(base)/v1/projects/\(PercentEncoding.encode(project))/messages:send"
        self.broadcastTopic = broadcastTopic
        self.doubtsUnavailable = doubtsUnavailable
        self.now = now
        do throws(HeaderError) {
            shared = PassHeaders(others: [
                try HeaderLine("Content-Type", "application/json"),
                // Errors name FCM's own code in their details (firebase-admin-python).
                try HeaderLine("X-GOOG-API-FORMAT-VERSION", "2"),
                try HeaderLine("User-Agent", "fanfare/\(version)"),
            ])
        } catch {
            throw .version(error)
        }
    }

    /// 100 requests a connection and six of them are 512 in flight at 50 ms, FCM's quota. It ends idle connections after four
    /// minutes and all after an hour (docs/wire/fcm-apns.md, "Connections").
    private static let connections: HTTP2Settings = {
        var settings = HTTP2Settings()
        settings.connections = 6
        settings.streams = 100
        settings.idleLife = .seconds(230)
        settings.wholeLife = .seconds(3_300)
        return settings
    }()

    /// A post to one device, a topic, or the devices of a condition.
    public func request(for post: Post, id: Int64, with pass: Pass) throws(InvalidPost) -> Request {
        try request(for: post, id: id, with: pass, validateOnly: false)
    }

    /// A test send: FCM checks everything and delivers nothing. Its answer's id is `fake_message_id`.
    ///
    /// - Parameter tracking: not sent, FCM has no such id. Default: nil.
    public func testRequest(
        for post: Post, id: Int64, with pass: Pass, tracking: String? = nil
    ) throws(InvalidPost) -> Request {
        try request(for: post, id: id, with: pass, validateOnly: true)
    }

    private func request(
        for post: Post, id: Int64, with pass: Pass, validateOnly: Bool
    ) throws(InvalidPost) -> Request {
        guard post.format == "fcmv1" else { throw .otherFormat }
        if let header = post.headers.first { throw .headerNotAllowed(name: header.name) }
        let target = try FCMTarget(post.target, broadcastTopic: broadcastTopic)
        let life = post.expiresAt.flatMap { FCMMessage.Life(until: $0, now: now()) }
        return Request(
            id: id, url: url, shared: try shared.headers(for: pass),
            body: try FCMMessage(post.body).body(to: target, life: life, validateOnly: validateOnly))
    }
}
