import CommandLineTool
import Configuration
import PushModel
import Signing
import HubEmulator
import Testing

@testable import fanfare_emulator

/// Which hubs of the settings an emulator serves, and where.
@Suite struct EmulatorPlanTests {
    private func hub(_ name: String, at address: String, key: String = "MQ==", secondary: String? = nil)
        -> HubConfiguration
    {
        func string(_ key: String) -> Secret {
            Secret("Endpoint=\(address)/;SharedAccessKeyName=send;SharedAccessKey=\(key)")
        }
        return HubConfiguration(
            settings: HubSettings(name: name), connectionString: string(key),
            secondaryConnectionString: secondary.map { string($0) })
    }

    private func plan(_ hubs: [HubConfiguration], listen: String? = nil) throws -> EmulatorPlan {
        let byName = Dictionary(hubs.enumerated().map { ("\($0)", $1) }) { first, _ in first }
        return try EmulatorPlan(byName, listen: listen.flatMap { ListenAddress($0) })
    }

    private var hubs: [HubConfiguration] {
        [
            hub("cloud", at: "sb://ns.servicebus.windows.net"), hub("other", at: "http://localhost:9000"),
            hub("usual", at: "http://127.0.0.1:8099", secondary: "Mg=="),
        ]
    }

    @Test func aSenderOfTheSettingsIsServedWithItsAccounts() throws {
        let account = EmulatorSettings.Sender.Account(project: "shop-emulator")
        var shop = HubConfiguration(settings: HubSettings(name: "shop", kind: .fcm))
        shop.settings.endpoint = "http://127.0.0.1:8099"
        shop.serviceAccount = account.json(tokenURI: "http://127.0.0.1:8099/token")
        let plan = try EmulatorPlan(["shop": shop], listen: nil)
        #expect(plan.hubs.isEmpty && plan.senders.map(\.sender.name) == ["shop"])
        #expect(plan.senders[0].sender.project == "shop-emulator")
        #expect(plan.senders[0].sender.accounts.map(\.email) == [account.email])
        shop.settings.endpoint = nil
        #expect(try EmulatorPlan(["shop": shop], listen: nil).senders.isEmpty, "Google's own address is not here")
    }

    private func apns(_ name: String, at endpoint: String?, _ key: EmulatorSettings.APNsSender.Key) -> HubConfiguration
    {
        var hub = HubConfiguration(settings: HubSettings(name: name, kind: .apns))
        hub.settings.topic = "com.example.shop"
        hub.settings.environment = .sandbox
        hub.settings.endpoint = endpoint
        hub.apns.team = "ABCDE12345"
        hub.apns.keyID = "FGHIJ67890"
        hub.apns.key = key.p8
        return hub
    }

    @Test func aHubOfKindAPNsIsServedWithItsKeys() throws {
        let (first, second) = (EmulatorSettings.APNsSender.Key(), EmulatorSettings.APNsSender.Key())
        var ios = apns("ios", at: "https://localhost:9443", first)
        ios.apns.secondaryKey = second.p8
        ios.apns.secondaryKeyID = "KLMNO12345"
        let plan = try EmulatorPlan(["ios": ios], listen: nil)
        let sender = try #require(plan.apnsSenders.first?.sender)
        #expect(sender.name == "ios" && sender.topic == "com.example.shop" && sender.teamID == "ABCDE12345")
        #expect(sender.environment == .sandbox && sender.keys.map(\.id) == ["FGHIJ67890", "KLMNO12345"])
        #expect(sender.keys.map { $0.p8.reveal() } == [first.p8.reveal(), second.p8.reveal()])
        #expect(plan.securePort == 9443 && plan.address == EmulatorPlan.usualAddress && plan.hubs.isEmpty)
        #expect(plan.notes.count == 1 && plan.notes[0].contains("--tls-port 9443 --ca-file FILE"), "\(plan.notes)")
        #expect(try EmulatorPlan(["ios": ios], listen: nil, tlsPort: 9443).notes.isEmpty)
    }

    @Test func apnsElsewhereIsNotServed() throws {
        let key = EmulatorSettings.APNsSender.Key()
        for endpoint in [nil, "https://apns.example:9443", "http://127.0.0.1:8099"] {
            #expect(try EmulatorPlan(["ios": apns("ios", at: endpoint, key)], listen: nil).apnsSenders.isEmpty)
        }
        var certified = apns("ios", at: "https://localhost:9443", key)
        certified.apns.key = nil
        certified.apns.certificate = Secret("a certificate that somebody else has made")
        #expect(try EmulatorPlan(["ios": certified], listen: nil).apnsSenders.isEmpty)
    }

    @Test func thePortForTLSChoosesAmongHubsOfKindAPNs() throws {
        let key = EmulatorSettings.APNsSender.Key()
        let hubs = ["a": apns("a", at: "https://127.0.0.1:1", key), "b": apns("b", at: "https://[::1]:2", key)]
        func served(_ port: Int?) throws -> [String] {
            try EmulatorPlan(hubs, listen: nil, tlsPort: port).apnsSenders.map(\.sender.name)
        }
        #expect(try served(nil) == ["a"] && served(2) == ["b"] && served(3) == ["a", "b"])
    }

    @Test func theUsualAddressIsPreferred() throws {
        let plan = try plan(hubs)
        #expect(plan.hubs.map(\.name) == ["usual"])
        #expect(plan.address == ListenAddress(host: "127.0.0.1", port: 8099))
        #expect(plan.notes.count == 1)
        #expect(plan.hubs[0].policies == [SASPolicy(name: "send", key: Secret("MQ=="), secondaryKey: Secret("Mg=="))])
    }

    @Test func withoutItTheSettingsSayWhere() throws {
        let plan = try plan(Array(hubs[0...1]))
        #expect(plan.hubs.map(\.name) == ["other"])
        #expect(plan.address == ListenAddress(host: "localhost", port: 9000))
    }

    @Test func anAddressChoosesItsHubs() throws {
        #expect(try plan(hubs, listen: "127.0.0.1:9000").hubs.map(\.name) == ["other"])
        #expect(try plan(hubs, listen: "127.0.0.1:1").hubs.map(\.name) == ["other", "usual"])
        #expect(try plan([hubs[0]]).hubs.isEmpty)
    }

    @Test func oneHubUnderTwoNamesKeepsBothKeys() throws {
        let twice = [hub("a", at: "http://127.0.0.1:8099"), hub("A", at: "http://127.0.0.1:8099", key: "Mg==")]
        let plan = try plan(twice)
        #expect(plan.hubs.map(\.name) == ["a"])
        #expect(plan.hubs[0].policies == [SASPolicy(name: "send", key: Secret("MQ=="), secondaryKey: Secret("Mg=="))])
        #expect(throws: Failure.self) {
            try self.plan(twice + [hub("a", at: "http://127.0.0.1:8099", key: "Mw==")])
        }
    }

    @Test func onlyTheKeyEverybodyKnowsIsShown() throws {
        let plan = try plan(hubs)
        let emulator = try plan.emulator(EmulatorSettings(hubs: plan.hubs))
        #expect(plan.welcome(emulator).contains("SharedAccessKey=•••"))
        #expect(!plan.welcome(emulator).contains("MQ=="))
    }

    @Test func withTLSForEverybodyPlainHTTPIsSaidToBeHereAlone() async throws {
        let plan = EmulatorPlan(
            hubs: [EmulatorSettings.Hub("news")], address: ListenAddress(host: "0.0.0.0", port: 0))
        var settings = EmulatorSettings(hubs: plan.hubs)
        settings.tls = EmulatorSettings.TLS()
        let emulator = try plan.emulator(settings)
        try await plan.start(emulator)
        let welcome = plan.welcome(emulator)
        await emulator.stop()
        #expect(welcome.contains("Endpoint=http://127.0.0.1:"))
        #expect(!welcome.contains("http://0.0.0.0"))
    }
}
