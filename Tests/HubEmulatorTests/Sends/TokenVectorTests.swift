import Foundation
import Signing
import Testing
import VectorSupport

@testable import HubEmulator

/// Every token of sas_tokens.json, over a socket.
@Suite struct TokenVectorTests {
    private struct Case {
        let id: String
        let host: String
        let hub: String
        let policy: SASPolicy
        let expiry: Int64
        /// By style; without the one that encodes a policy's name twice, if that changes it.
        let tokens: [String: String]

        init(_ vector: [String: Any]) throws {
            let input = try #require(vector["input"] as? [String: Any])
            id = try #require(vector["id"] as? String)
            host = try #require(input["host"] as? String)
            hub = try #require(input["hub"] as? String)
            expiry = Int64(try #require(input["expiry"] as? Int))
            let name = try #require(input["key_name"] as? String)
            policy = SASPolicy(name: name, key: Secret(try #require(input["key"] as? String)))
            var tokens: [String: String] = [:]
            for group in ["canonical", "accepted_other_styles"] {
                for (style, value) in try #require(vector[group] as? [String: [String: Any]]) {
                    let isBroken = style == "python_servicebus_eventhub" && SAS.encode(name) != name
                    if !isBroken { tokens[style] = try #require(value["token"] as? String) }
                }
            }
            self.tokens = tokens
        }

        /// One hub per key, because the cases use one policy's name for several keys.
        static func hubs(_ cases: [Case]) -> [EmulatorSettings.Hub] {
            Dictionary(grouping: cases) { $0.hub.lowercased() }.map { _, same in
                var policies: [SASPolicy] = []
                for one in same
                where !policies.contains(where: { $0.name == one.policy.name && $0.key == one.policy.key }) {
                    policies.append(one.policy)
                }
                return EmulatorSettings.Hub(same[0].hub, policies: policies)
            }
        }

        func request(_ token: String, path: String? = nil, host: String? = nil) -> String {
            "POST \(path ?? "/\(hub)/messages?api-version=2020-06") HTTP/1.1\r\nHost: \(host ?? self.host)\r\n"
                + "Authorization: \(token)\r\nServiceBusNotification-Format: template\r\nContent-Length: 2\r\n\r\n{}"
        }
    }

    private func cases() throws -> [Case] {
        try Vectors.objects("sas_tokens", "cases").map { try Case($0) }
    }

    @Test func everyTokenIsAccepted() async throws {
        let cases = try cases()
        try await EmulatorFixture.run({
            $0.hubs = Case.hubs(cases)
            $0.now = { 1_767_225_500 }
        }) { fixture in
            var taken = 0
            for one in cases {
                for (style, token) in one.tokens.sorted(by: { $0.key < $1.key }) {
                    let reply = try await fixture.exchange(one.request(token))
                    #expect(reply.status == 201, "\(one.id) \(style): \(reply.body)")
                    taken += 1
                }
            }
            #expect(fixture.emulator.count().taken == taken && taken >= 80)
        }
    }

    @Test func aTokenIsRefusedWhenLateOrForAnotherPlaceOrKey() async throws {
        let cases = try cases()
        try await EmulatorFixture.run({
            $0.hubs = Case.hubs(cases) + [.init("elsewhere", policies: cases.map(\.policy))]
            $0.now = { 1_767_225_500 }
        }) { fixture in
            for one in cases {
                for (style, token) in one.tokens {
                    // A namespace's token is valid for all of its hubs, but for no other namespace.
                    let other = try await fixture.exchange(one.request(token, host: "fabrikam.servicebus.windows.net"))
                    #expect(other.status == 401 && other.body.contains("InvalidAudience"), "\(one.id) \(style)")
                    let flipped = token.replacing("sig=", with: "sig=x")
                    let forged = try await fixture.exchange(one.request(flipped))
                    #expect(forged.status == 401, "\(one.id) \(style)")
                    if one.tokens["go_daresaydigital"] != token, one.tokens["js_sdk"] != token {
                        let reply = try await fixture.exchange(
                            one.request(token, path: "/elsewhere/messages?api-version=2020-06"))
                        #expect(reply.status == 401 && reply.body.contains("InvalidAudience"), "\(one.id) \(style)")
                    }
                }
            }
            #expect(fixture.emulator.count().taken == 0)
        }
        try await EmulatorFixture.run({
            $0.hubs = Case.hubs(cases)
            $0.now = { 4_102_444_800 }
        }) { fixture in
            for one in cases {
                for (style, token) in one.tokens {
                    let reply = try await fixture.exchange(one.request(token))
                    #expect(reply.status == 401 && reply.body.contains("ExpiredToken"), "\(one.id) \(style)")
                }
            }
        }
    }
}
