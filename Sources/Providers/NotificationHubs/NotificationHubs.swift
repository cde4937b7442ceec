import HTTPTransport
import PushModel
import Signing

/// Azure Notification Hubs over its REST interface (docs/wire/notification-hubs.md).
public struct NotificationHubs: Provider {
    /// `https://host/hub/messages`
    private let messages: String
    /// `?api-version=...`
    private let query: String
    let shared: SharedHeaderCache
    public let host: String
    public var scheme: String { "SharedAccessSignature" }

    /// Most characters of a hub name (.NET SDK).
    public static let nameLimit = 260

    /// - Parameters:
    ///   - connection: locates the namespace. Its key is not used here: each post brings a pass.
    ///   - hub: the hub's own name; percent-encoded in the URL.
    ///   - apiVersion: default: that of today's SDKs.
    ///   - version: ours, for `User-Agent: fanfare/VERSION`. Default: `dev`.
    /// - Throws: `InvalidHub` for an invalid name, or a version that does not fit into a header.
    public init(
        connection: ConnectionString, hub: String, apiVersion: String = "2020-06", version: String = "dev"
    ) throws(InvalidHub) {
        guard (1...Self.nameLimit).contains(hub.count) else { throw .nameLength(hub.count) }
        guard hub.contains(where: { $0 != "." }) else { throw .dots }
        host = connection.host
        messages = "\(connection.base)/\(PercentEncoding.encode(hub))/messages"
        query = "?api-version=\(PercentEncoding.encode(apiVersion))"
        do throws(HeaderError) {
            shared = SharedHeaderCache(userAgent: try HeaderLine("User-Agent", "fanfare/\(version)"))
        } catch {
            throw .version(error)
        }
    }

    /// A post to every device with the tag, to the devices with the handles, or to all devices: only for
    /// `Target.broadcast`.
    ///
    /// One handle makes a direct send, several make a batch with one answer for the whole list.
    public func request(for post: Post, id: Int64, with pass: Pass) throws(InvalidPost) -> Request {
        if case .handles(let handles) = post.target {
            return try request(for: post, to: handles, id: id, with: pass)
        }
        return try request(for: post, id: id, with: pass, to: messages + query)
    }

    /// A test send: the hub sends to at most 10 devices at once and answers with the result of each platform, which
    /// `TestSendResult` reads. At most 10 a minute. The service refuses test sends to handles.
    ///
    /// - Parameter tracking: the id that Azure support asks for; nil: the service chooses one.
    public func testRequest(
        for post: Post, id: Int64, with pass: Pass, tracking: String? = nil
    ) throws(InvalidPost) -> Request {
        var request = try request(for: post, id: id, with: pass, to: messages + query + "&test")
        if let tracking { request.headers.append(try line("TrackingId", tracking)) }
        return request
    }

    private func request(
        for post: Post, id: Int64, with pass: Pass, to url: String
    ) throws(InvalidPost) -> Request {
        let (format, extra) = try checked(post, isDirect: false)
        return Request(
            id: id, url: url, shared: try shared.headers(for: kind(of: format, extra), with: pass),
            headers: try Self.tagLines(post.target) + extra.lines, body: post.body)
    }

    private func request(
        for post: Post, to handles: [String], id: Int64, with pass: Pass
    ) throws(InvalidPost) -> Request {
        let (format, extra) = try checked(post, isDirect: true)
        guard format != .template else { throw .templateForHandles }
        guard (1...HubKind.notificationHubs.facts.handles).contains(handles.count) else {
            throw .handleCount(handles.count)
        }
        guard handles.allSatisfy(Target.isHandle) else { throw .handle }
        if format == .browser {
            guard handles.count == 1, extra.has("auth"), extra.has("p256dh") else { throw .browserKeys }
        }
        var kind = kind(of: format, extra)
        if handles.count == 1 {
            return Request(
                id: id, url: messages + query + "&direct", shared: try shared.headers(for: kind, with: pass),
                headers: [try line("ServiceBusNotification-DeviceHandle", handles[0])] + extra.lines, body: post.body)
        }
        let batch = DirectBatch(post.body, contentType: format.contentType(raw: kind.raw), handles: handles)
        kind.boundary = batch.boundary
        return Request(
            id: id, url: messages + "/$batch" + query + "&direct",
            shared: try shared.headers(for: kind, with: pass),
            headers: extra.lines, body: batch.bytes)
    }

    private func checked(
        _ post: Post, isDirect: Bool
    ) throws(InvalidPost) -> (format: NotificationFormat, extra: ExtraHeaders) {
        guard post.body.count <= HubKind.notificationHubs.facts.bodyBytes else { throw .bodyTooLarge(post.body.count) }
        guard let format = NotificationFormat(named: post.format) else { throw .format }
        return (format, try ExtraHeaders(post.headers, allowingKeys: isDirect && format == .browser))
    }

    private func kind(of format: NotificationFormat, _ extra: ExtraHeaders) -> SharedHeaderCache.Kind {
        SharedHeaderCache.Kind(format: format, raw: format == .windows && extra.raw)
    }

    /// A post without this line is a broadcast, so only `.broadcast` gets no line.
    private static func tagLines(_ target: Target) throws(InvalidPost) -> [HeaderLine] {
        switch target {
        case .broadcast: return []
        case .handles: throw .testOfHandles  // other sends to handles have requests of their own
        case .tag(let tag):
            guard tag.contains(where: { !$0.isWhitespace }) else { throw .emptyTag }
            do throws(HeaderError) {
                return [try HeaderLine("ServiceBusNotification-Tags", tag)]
            } catch {
                throw .tag(error)
            }
        }
    }

    private func line(_ name: String, _ value: String) throws(InvalidPost) -> HeaderLine {
        do throws(HeaderError) {
            return try HeaderLine(name, value)
        } catch {
            throw .header(error)
        }
    }
}
