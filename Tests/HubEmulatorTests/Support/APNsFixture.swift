import Foundation
import HTTPServer
import HTTPTypes
import Signing
import Testing

@testable import HubEmulator

/// A running emulator with the APNs sender `ios` of production, `ios-dev` of the sandbox and `tv`, another app of production, and
/// what a client of APNs needs to talk to them.
struct APNsFixture: Sendable {
    static let senders = [
        EmulatorSettings.APNsSender("ios", topic: "com.example.MyApp", keys: [.init(), .init()]),
        EmulatorSettings.APNsSender("ios-dev", topic: "com.example.MyApp", environment: .sandbox),
        EmulatorSettings.APNsSender("tv", topic: "com.example.Television", teamID: "TEAMOFTV00"),
    ]
    static let handle = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

    let hub: EmulatorFixture
    /// Of `EmulatorSettings.TLS.caFile`.
    let authority: String
    var emulator: HubEmulator { hub.emulator }

    static func run(
        _ change: (inout EmulatorSettings) -> Void = { _ in }, _ body: (APNsFixture) async throws -> Void
    ) async throws {
        try await EmulatorFixture.runWithTLS({
            $0.apnsSenders = senders
            change(&$0)
        }) { try await body(APNsFixture(hub: $0, authority: $1)) }
    }

    /// A provider token.
    ///
    /// - Parameter age: seconds, by the emulator's clock.
    func token(_ sender: String = "ios", key: Int = 0, age: Int = 0) throws -> String {
        let sender = try #require(emulator.apnsSender(sender))
        return sender.keys[key].token(team: sender.teamID, issuedAt: Int(EmulatorFixture.now) - age)
    }

    func phone(_ id: String, _ handle: String, at sender: String = "ios", tags: [String] = []) throws {
        try emulator.register(Installation(id, pushChannel: .handle(handle), tags: tags), at: sender)
    }

    /// The answer to a request as it would be over a connection.
    struct Answer: Equatable, CustomStringConvertible {
        let status: Int
        let reason: String?
        let timestamp: Int?
        let id: String?
        let uniqueID: String?
        var description: String { "\(status) \(reason ?? "-")" }
    }

    /// What a request says. The token is a good one, unless `authorization` is there.
    struct Request {
        var method = HTTPRequest.Method.post
        var path = "/3/device/\(APNsFixture.handle)"
        var authority = "localhost:8443"
        var authorization: String?? = nil
        var headers: [(String, String)] = [
            ("apns-topic", "com.example.MyApp"), ("apns-push-type", "alert"), ("content-type", "application/json"),
        ]
        var body = #"{"aps":{"alert":"Hello"}}"#

        /// Replaces a header, or takes it away.
        mutating func set(_ name: String, _ value: String?) {
            headers.removeAll { $0.0 == name }
            if let value { headers.append((name, value)) }
        }
    }

    /// Asks without a socket.
    ///
    /// - Parameter connection: nil: a new one.
    /// - Returns: nil: no answer.
    func ask(
        on connection: PeerConnection? = nil, _ change: (inout Request) throws -> Void = { _ in }
    ) throws -> Answer? {
        var asked = Request()
        try change(&asked)
        var fields = HTTPFields()
        if let value = try asked.authorization ?? "bearer \(token())" { fields[.authorization] = value }
        for (name, value) in asked.headers {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        let head = HTTPRequest(
            method: asked.method, scheme: "https", authority: asked.authority, path: asked.path, headerFields: fields)
        let plan =
            switch emulator.router.receive(head, on: connection ?? PeerConnection(isHTTP2: true)) {
            case .withoutBody(let plan): plan
            case .body(let limit, let then):
                then(UploadedBody(bytes: asked.body.utf8.count > limit ? nil : Array(asked.body.utf8)))
            }
        guard case .answer(let response) = plan else { return nil }
        let body = try? JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
        #expect(response.status != 200 || response.body.isEmpty)
        return Answer(
            status: response.status, reason: body?["reason"] as? String, timestamp: body?["timestamp"] as? Int,
            id: response.headers[.apnsID], uniqueID: response.headers[.apnsUniqueID])
    }

    /// As above, in one line: `400 BadTopic`, `200 -`.
    func line(
        on connection: PeerConnection? = nil, _ change: (inout Request) throws -> Void = { _ in }
    ) throws -> String {
        try ask(on: connection, change).map(\.description) ?? "no answer"
    }

    /// Expects an answer, given as `line` has it.
    ///
    /// - Parameter subject: what the case is about.
    func expect(
        _ answer: String, on connection: PeerConnection? = nil, about subject: String = "",
        at location: SourceLocation = #_sourceLocation, _ change: (inout Request) throws -> Void = { _ in }
    ) throws {
        let line = try line(on: connection, change)
        #expect(line == answer, "\(subject)", sourceLocation: location)
    }

    func texts(of device: String, at sender: String = "ios") throws -> [String?] {
        try emulator.inbox(of: device, at: sender).map(\.alert?.body)
    }

    /// Arguments of curl for one send over HTTP/2. It prints the version of HTTP and the status on a line of their own.
    func curl(
        _ handle: String = APNsFixture.handle, token: String? = nil, body: String = #"{"aps":{"alert":"Hello"}}"#,
        options: [String] = []
    ) throws -> [String] {
        let port = try #require(emulator.securePort)
        return [
            "-sS", "--http2", "--cacert", authority, "-w", "\n%{http_version} %{http_code}\n", "-H",
            "authorization: bearer \(try token ?? self.token())", "-H", "apns-topic: com.example.MyApp", "-H",
            "apns-push-type: alert", "-H", "content-type: application/json", "-d", body,
        ] + options + ["https://localhost:\(port)/3/device/\(handle)"]
    }

    /// Whether Tests/Oracles/apns_client.py can run.
    static let hasFrames = Program.hasPackage("h2")

    /// What a connection brings when these steps are done on it (Tests/Oracles/apns_client.py).
    func frames(_ steps: [String], token: String? = nil) async throws -> [String] {
        let port = try #require(emulator.securePort)
        let ended = try await Program(".build-tools/bin/python")(
            ["Tests/Oracles/apns_client.py", "\(port)", authority, try token ?? self.token()] + steps)
        #expect(ended.status == 0, "\(ended)")
        return ended.output.split(separator: "\n").map(String.init)
    }
}
