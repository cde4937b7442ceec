import Configuration
import PushModel
import Signing
import Testing

@testable import Daemon

@Suite struct PassShelfTests {
    private func service(_ name: String, _ key: Secret, id: String) throws -> HubService {
        var hub = HubConfiguration(settings: HubSettings(name: name, kind: .apns))
        hub.settings.topic = "com.example.shop"
        hub.settings.environment = .sandbox
        (hub.apns.team, hub.apns.keyID, hub.apns.key) = ("ABCDE12345", id, key)
        return try HubService(hub)
    }

    @Test func aStartSaysOnceThatAKeyGetsANewToken() throws {
        let shelf = PassShelf()
        let key = P256KeyPair.generate().privateKey
        let notice = try #require(shelf.notice(of: try service("ios", key, id: "FGHIJ67890")))
        #expect(notice.contains("key FGHIJ67890") && notice.contains("20 minutes"), "\(notice)")
        // Another hub with the key, and the generation after a reload.
        #expect(shelf.notice(of: try service("shop", key, id: "FGHIJ67890")) == nil)
        #expect(shelf.notice(of: try service("ios", key, id: "FGHIJ67890")) == nil)
        #expect(shelf.notice(of: try service("ios", P256KeyPair.generate().privateKey, id: "KLMNO12345")) != nil)
    }

    @Test func nothingIsSaidOfAServiceWithoutProviderTokens() throws {
        let hub = HubConfiguration(
            settings: HubSettings(name: "news"),
            connectionString: Secret(
                "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=a;SharedAccessKey=c2VjcmV0;EntityPath=news"
            ))
        #expect(PassShelf().notice(of: try HubService(hub)) == nil)
    }
}
