import EmulatorTLS
import Foundation
import Logging
import Signing
import SocketSupport
import Testing

@testable import HubEmulator

typealias Client = SocketSupport.Client

/// A running emulator with the hubs `news` and `sports` for the duration of a test, and what a sender needs to talk to it.
struct EmulatorFixture: Sendable {
    static let now = 1_800_000_000.0
    static let key = "bGV0IG1lIGlu"

    let emulator: HubEmulator
    let port: Int

    /// The policies of `news`: `sender` with Send, `listener` with Listen, `all` with all rights.
    static func run(
        _ change: (inout EmulatorSettings) -> Void = { _ in }, _ body: (EmulatorFixture) async throws -> Void
    ) async throws {
        var settings = EmulatorSettings(hubs: [
            .init(
                "news",
                policies: [
                    SASPolicy(
                        name: "sender", key: Secret(key), secondaryKey: Secret("the other key"), rights: [.send]),
                    SASPolicy(name: "listener", key: Secret(key), rights: [.listen]),
                    SASPolicy(name: "all", key: Secret(key)),
                ]), .init("sports"),
        ])
        settings.now = { now }
        change(&settings)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let emulator = try HubEmulator(settings, logger: logger, tls: SelfIssuedTLS())
        let fixture = EmulatorFixture(emulator: emulator, port: try await emulator.start())
        do {
            try await body(fixture)
        } catch {
            await emulator.stop()
            throw error
        }
        await emulator.stop()
    }

    /// A device whose template `t` shows the property `m`.
    static func device(_ id: String, _ tags: [String], user: String? = nil) -> Installation {
        Installation(
            id, pushChannel: .handle("AB"), user: user, tags: tags, templates: ["t": #"{"aps":{"alert":"$(m)"}}"#])
    }

    var host: String { "127.0.0.1:\(port)" }

    func client() throws -> Client { try Client(port: port) }

    func token(
        _ policy: String = "sender", key: String = EmulatorFixture.key, path: String = "/news", expiry: Int64? = nil
    )
        -> String
    {
        SAS.token(
            resource: "http://\(host)\(path)", keyName: policy, key: Secret(key),
            expiry: expiry ?? Int64(EmulatorFixture.now) + 3_600
        ).header.reveal()
    }

    /// A complete request as text. `token`: nil: a valid one; empty: none.
    func request(
        _ method: String = "POST", _ target: String = "/news/messages?api-version=2020-06", token: String? = nil,
        headers: [String: String] = ["ServiceBusNotification-Format": "template"], body: String = ""
    ) -> String {
        let token = token ?? self.token()
        var lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)", "Content-Length: \(body.utf8.count)"]
        if !token.isEmpty { lines.append("Authorization: \(token)") }
        lines += headers.map { "\($0.key): \($0.value)" }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    /// A send to a tag expression, in the template format by default.
    func send(to tags: String?, _ body: String = #"{"m":"x"}"#, format: String = "template") -> String {
        var headers = ["ServiceBusNotification-Format": format, "Content-Type": "application/json;charset=utf-8"]
        headers["ServiceBusNotification-Tags"] = tags
        return request(headers: headers, body: body)
    }

    /// Sends one request on a new connection and returns the reply.
    func exchange(_ request: String) async throws -> Client.Reply {
        let client = try client()
        try await client.write(request)
        return try await client.reply()
    }
}
