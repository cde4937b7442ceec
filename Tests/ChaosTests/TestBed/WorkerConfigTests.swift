import Foundation
import Testing

@testable import Chaos

@Suite struct WorkerConfigTests {
    private static let emulator = "http://127.0.0.1:8099"

    private static let config = WorkerConfig(
        database: "host=/tmp", emulator: emulator, secureEmulator: "https://127.0.0.1:8443", caFile: "/tmp/ca.pem",
        credentials: [
            .news: .init(first: "Endpoint=\(emulator)/;1", second: "Endpoint=\(emulator)/;2"),
            .local: .init(first: "Endpoint=\(emulator)/;3", second: "Endpoint=\(emulator)/;4"),
            .shop: .init(
                first: #"{"token_uri":"\#(emulator)/token"}"#, second: #"{"token_uri":"\#(emulator)/token","b":1}"#),
            .ios: .init(first: "key 1", second: "key 2", ids: ("AAAAAAAAAA", "BBBBBBBBBB")),
        ])

    private func hubs(_ change: (inout WorkerConfig) -> Void = { _ in }) throws -> [String: [String: Any]] {
        var config = Self.config
        change(&config)
        let object = try JSONSerialization.jsonObject(with: Data(config.text.utf8)) as? [String: Any]
        return try #require(object?["hubs"] as? [String: [String: Any]])
    }

    @Test func everyHubHasItsKindAndBothCredentials() throws {
        let hubs = try hubs()
        #expect(Set(hubs.keys) == Set(TestHub.allCases.map(\.rawValue)))
        #expect(hubs["news"]?["connectionString"] as? String == "Endpoint=http://127.0.0.1:8099/;1")
        #expect(hubs["local"]?["secondaryConnectionString"] as? String == "Endpoint=http://127.0.0.1:8099/;4")
        #expect(hubs["shop"]?["kind"] as? String == "fcm")
        #expect(hubs["shop"]?["endpoint"] as? String == Self.emulator)
        #expect(hubs["shop"]?["serviceAccount"] as? String == #"{"token_uri":"http://127.0.0.1:8099/token"}"#)
        let ios = try #require(hubs["ios"])
        let values = ["kind", "topic", "teamId", "keyId", "secondaryKeyId", "key", "secondaryKey", "endpoint"].map {
            ios[$0] as? String
        }
        #expect(
            values == [
                "apns", "com.example.ios", "CHAOSTEAM0", "AAAAAAAAAA", "BBBBBBBBBB", "key 1", "key 2",
                "https://127.0.0.1:8443",
            ])
        #expect(try Self.config.text.contains(#""caFile" : "/tmp/ca.pem""#))
    }

    @Test func onlyTheHubThatIsLocalisedOtherwiseChanges() throws {
        let hubs = try hubs { $0.localization = "tags" }
        #expect(
            hubs.mapValues { $0["localization"] as? String } == [
                "news": "tags", "local": "tags", "shop": "tags", "ios": nil,
            ])
        #expect(try self.hubs()["news"]?["localization"] as? String == "properties")
    }

    @Test(arguments: [
        (WorkerConfig.Address.refusing, "http://127.0.0.1:1"), (.unknown, "https://hub.invalid"),
        (.withoutTLS, "https://127.0.0.1:8099"),
    ])
    func anAddressIsThatOfAllHubs(address: WorkerConfig.Address, base: String) throws {
        let hubs = try hubs { $0.address = address }
        #expect(hubs["news"]?["connectionString"] as? String == "Endpoint=\(base)/;1")
        #expect(hubs["local"]?["connectionString"] as? String == "Endpoint=\(base)/;3")
        #expect(hubs["shop"]?["endpoint"] as? String == base)
        let secure = base.replacing("http://", with: "https://")
        #expect(hubs["ios"]?["endpoint"] as? String == secure, "it is spoken to over TLS alone")
        let account = try #require(hubs["shop"]?["serviceAccount"] as? String)
        #expect(account.contains(Self.emulator), "tokens go on")
    }

    @Test func tokenEndpointsMoveWhenTheyAreMeantToo() throws {
        let hubs = try hubs { ($0.address, $0.movesTokens) = (.unknown, true) }
        #expect(hubs["shop"]?["serviceAccount"] as? String == #"{"token_uri":"https://hub.invalid/token"}"#)
        #expect((hubs["shop"]?["secondaryServiceAccount"] as? String)?.contains("https://hub.invalid/token") == true)
    }
}
