import HTTPTransport
import PushModel
import Signing

/// Azure Notification Hubs over its REST interface (notification-hubs.md sections 3 and 4).
public struct NotificationHubs: Provider {
    private let url: String
    let shared: FormatHeaders

    /// Characters a hub name may have (.NET SDK).
    public static let nameLimit = 260

    /// - Parameters:
    ///   - connection: where the namespace is. The keys in it are not used here: tokens come with each post.
    ///   - hub: the hub's own name; percent-encoded in the URL.
    ///   - apiVersion: default: what today's SDKs send.
    ///   - version: ours, for `User-Agent: fanfare/VERSION`. Default: `dev`.
    /// - Throws: `InvalidHub` for a name that is no name, or a version that does not fit into a header.
    public init(
        connection: ConnectionString, hub: String, apiVersion: String = "2020-06", version: String = "dev"
    ) throws(InvalidHub) {
        guard (1...Self.nameLimit).contains(hub.count) else { throw .nameLength(hub.count) }
        guard hub.contains(where: { $0 != "." }) else { throw .dots }
        let encodedHub = PercentEncoding.encode(hub)
        let encodedVersion = PercentEncoding.encode(apiVersion)
        url = "\(connection.base)/\(encodedHub)/messages?api-version=\(encodedVersion)"
        do throws(HeaderError) {
            shared = FormatHeaders(userAgent: try HeaderLine("User-Agent", "fanfare/\(version)"))
        } catch {
            throw .version(error)
        }
    }

    /// A post to every device with the tag, or, for `Target.broadcast` and for nothing else, to all of them.
    public func request(for post: Post, id: Int64, signedBy token: SASToken) throws(InvalidPost) -> Request {
        try request(for: post, id: id, signedBy: token, to: url)
    }

    /// The same as a test send: the hub sends to at most 10 devices at once and answers with what each platform said, as
    /// NotificationOutcome XML in the body. At most 10 a minute.
    public func testRequest(for post: Post, id: Int64, signedBy token: SASToken) throws(InvalidPost) -> Request {
        try request(for: post, id: id, signedBy: token, to: url + "&test")
    }

    private func request(
        for post: Post, id: Int64, signedBy token: SASToken, to url: String
    ) throws(InvalidPost) -> Request {
        guard post.body.count <= Post.bodyLimit else { throw .bodyTooLarge(post.body.count) }
        guard let format = NotificationFormat(named: post.format) else { throw .format }
        let extra = try ExtraHeaders(post.headers)
        let kind = FormatHeaders.Kind(format: format, raw: format == .windows && extra.raw)
        return Request(
            id: id, url: url, shared: try shared.headers(for: kind, signedBy: token),
            headers: try Self.tagLines(post.target) + extra.lines, body: post.body)
    }

    /// No line at all means everybody, so the only way to none is to ask for it by name.
    private static func tagLines(_ target: Target) throws(InvalidPost) -> [HeaderLine] {
        switch target {
        case .broadcast: return []
        case .handles: throw .format  // direct send has a request of its own
        case .tag(let tag):
            guard tag.contains(where: { !$0.isWhitespace }) else { throw .emptyTag }
            do throws(HeaderError) {
                return [try HeaderLine("ServiceBusNotification-Tags", tag)]
            } catch {
                throw .tag(error)
            }
        }
    }
}
