import HTTPTransport
import PushModel
import Signing
import Testing

@testable import Providers

/// The hub of the vectors, and posts to it.
enum TestHub {
    static func hub(
        _ name: String = "myhub", base: String = "sb://contoso.servicebus.windows.net/", version: String = "1.2.3"
    ) throws -> NotificationHubs {
        let connection = try ConnectionString(
            parsing: "Endpoint=\(base);SharedAccessKeyName=sender;SharedAccessKey=k")
        return try NotificationHubs(connection: connection, hub: name, version: version)
    }

    static func pass(expiry: Int64 = 1000) -> Pass {
        let token = SAS.token(
            resource: "https://contoso.servicebus.windows.net/myhub", keyName: "sender", key: Secret("k"),
            expiry: expiry)
        return Pass(header: token.header, number: expiry, expiry: expiry)
    }

    static func post(
        to target: Target = .tag("World"), format: String = "template", headers: [(String, String)] = [],
        body: String = "{}"
    ) -> Post {
        Post(
            messages: [1], target: target, format: format,
            headers: headers.map { Post.Header(name: $0.0, value: $0.1) }, body: Array(body.utf8))
    }

    /// Every header line of a post's request, in order.
    static func lines(_ hub: NotificationHubs, _ post: Post, _ pass: Pass) throws -> [HeaderLine] {
        let request = try hub.request(for: post, id: 1, with: pass)
        let format = try #require(NotificationFormat(named: post.format))
        let raw = format == .windows && request.headers.contains { $0.value == "wns/raw" }
        let boundary = request.url.contains("/$batch?") ? DirectBatch.usualBoundary : nil
        let kind = SharedHeaderCache.Kind(format: format, raw: raw, boundary: boundary)
        return try request.headers + hub.shared.lines(for: kind, with: pass)
    }

    static func reply(_ status: Int, _ headers: [(String, String)] = [], body: String = "") -> Reply {
        let response = Reply.Response(
            status: status, headers: headers.map { (name: $0.0.lowercased(), value: $0.1) }, body: Array(body.utf8))
        return Reply(id: 1, outcome: .answered(response), milliseconds: 12, receivedAt: 1_767_225_600)
    }
}
