import Foundation
import Signing
import Testing

@testable import HubEmulator

/// A running emulator with the hub `news` and the FCM sender `shop`, and what a client of FCM needs to talk to it.
struct FCMFixture: Sendable {
    /// A key takes 100 ms to make: all tests share these two accounts.
    static let accounts = [
        EmulatorSettings.Sender.Account(project: "shop-emulator"),
        EmulatorSettings.Sender.Account(project: "shop-emulator", name: "other"),
    ]

    let hub: EmulatorFixture
    var emulator: HubEmulator { hub.emulator }

    static func run(
        _ change: (inout EmulatorSettings) -> Void = { _ in }, _ body: (FCMFixture) async throws -> Void
    ) async throws {
        try await EmulatorFixture.run({
            $0.senders = [EmulatorSettings.Sender("shop", accounts: accounts)]
            change(&$0)
        }) { try await body(FCMFixture(hub: $0)) }
    }

    /// An access token without an exchange.
    func accessToken(_ sender: String = "shop", account: Int = 0, seconds: Double = 3_600) throws -> String {
        let hub = try #require(emulator.hubs[sender])
        return emulator.fcm.grants.issue(for: hub, account: account, seconds: seconds)
    }

    func phone(
        _ id: String, _ platform: Installation.Platform = .fcmV1, topics: [String] = [], language: String? = nil
    ) throws {
        try emulator.register(
            Installation(
                id, platform: platform, pushChannel: .handle("\(id)-token"),
                tags: language.map { ["lang:\($0)"] } ?? [],
                topics: topics), at: "shop")
    }

    /// Posts to any address.
    ///
    /// - Parameter token: nil: a valid one; empty: none.
    func post(
        _ target: String, _ body: String, token: String? = nil, headers: [String: String] = [:]
    ) async throws -> Client.Reply {
        var headers = headers
        let token = try token ?? accessToken()
        if !token.isEmpty { headers["Authorization"] = "Bearer \(token)" }
        headers["Content-Type"] = headers["Content-Type"] ?? "application/json"
        return try await hub.exchange(hub.request("POST", target, token: "", headers: headers, body: body))
    }

    /// Posts a message, given as its JSON text.
    func send(
        _ message: String, project: String = "shop-emulator", token: String? = nil, isTrial: Bool = false
    ) async throws -> Client.Reply {
        let trial = isTrial ? #","validate_only":true"# : ""
        return try await post(
            "/v1/projects/\(project)/messages:send", #"{"message":\#(message)\#(trial)}"#, token: token,
            headers: ["X-GOOG-API-FORMAT-VERSION": "2"])
    }

    /// Titles and bodies in an inbox, oldest first.
    func texts(of device: String) throws -> [String] {
        try emulator.inbox(of: device, at: "shop").map {
            [$0.alert?.title, $0.alert?.body].compactMap { $0 }.joined(separator: " | ")
        }
    }

    var warnings: [EmulatorWarning.Kind] { emulator.warnings.map(\.kind) }
}

extension Client.Reply {
    /// The body as a JSON object.
    var json: [String: Any] {
        get throws {
            let object = try JSONSerialization.jsonObject(with: Data(body.utf8))
            return try #require(object as? [String: Any])
        }
    }

    /// FCM's error on one line: HTTP status, word, `errorCode`, and the fields at fault.
    var fcmError: String {
        get throws {
            let error = try #require(try json["error"] as? [String: Any])
            let details = error["details"] as? [[String: Any]] ?? []
            let code = details.compactMap { $0["errorCode"] as? String }.first ?? "-"
            let fields = details.flatMap { $0["fieldViolations"] as? [[String: String]] ?? [] }.compactMap {
                $0["field"]
            }
            #expect(error["code"] as? Int == status)
            return ([("\(status)"), error["status"] as? String ?? "-", code] + fields).joined(separator: " ")
        }
    }
}

/// Assertions, signed with the program openssl.
struct SignedAssertion {
    var header: [String: Any] = ["alg": "RS256", "typ": "JWT"]
    var claims: [String: Any]
    private let key: String

    /// - Parameter account: the text of a service-account file.
    init(_ account: Secret, now: Double = EmulatorFixture.now) throws {
        let file = try #require(
            try JSONSerialization.jsonObject(with: Data(account.reveal().utf8)) as? [String: String])
        header["kid"] = file["private_key_id"]
        key = try #require(file["private_key"])
        claims = [
            "iss": try #require(file["client_email"]), "aud": "https://oauth2.googleapis.com/token",
            "scope": "https://www.googleapis.com/auth/firebase.messaging", "iat": Int(now), "exp": Int(now) + 3_600,
        ]
    }

    func text() async throws -> String {
        func encoded(_ data: Data) -> String {
            data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        let parts = try [header, claims].map { encoded(try JSONSerialization.data(withJSONObject: $0)) }
        let signed = parts.joined(separator: ".")
        let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func path(_ name: String) -> String { folder.appending(path: name).path() }
        try Data(key.utf8).write(to: folder.appending(path: "key.pem"))
        try Data(signed.utf8).write(to: folder.appending(path: "signed"))
        let ended = try await Program("openssl")(
            ["dgst", "-sha256", "-sign", path("key.pem"), "-out", path("signature"), path("signed")])
        #expect(ended.status == 0, "\(ended)")
        return signed + "." + encoded(try Data(contentsOf: folder.appending(path: "signature")))
    }
}

extension FCMFixture {
    /// Posts an assertion for an access token.
    func grant(_ assertion: String, type: String = "urn:ietf:params:oauth:grant-type:jwt-bearer") async throws
        -> Client.Reply
    {
        try await post(
            "/token", "grant_type=\(PercentEncoding.encode(type))&assertion=\(PercentEncoding.encode(assertion))",
            token: "",
            headers: ["Content-Type": "application/x-www-form-urlencoded"])
    }

    func signed(account: Int = 0, _ change: (inout SignedAssertion) -> Void = { _ in }) async throws -> String {
        var assertion = try SignedAssertion(try #require(emulator.serviceAccount(of: "shop", account: account)))
        change(&assertion)
        return try await assertion.text()
    }
}
