import EmulatorTLS
import Foundation
import HubEmulator
import Logging
import PushModel
import Signing

/// The emulator of a test bed: hubs of each kind, with two credentials each, and the phones of the apps.
enum TestEmulator {
    /// Phones of the app that FCM reaches, `phone-0` and so on, and of the one that APNs reaches (`handle`).
    static let phones = 200
    /// Topics that FCM's phones have, each a third of them.
    static let topics = ["sport", "science", "world"]
    /// Seconds an access token of FCM lasts: short, so that workers fetch one again and again.
    private static let tokenSeconds = 15
    /// Of every hub.
    private static let keys = (first: "Zmlyc3Qga2V5", second: "c2Vjb25kIGtleQ==")

    /// The device token of a phone that APNs reaches.
    ///
    /// - Parameter number: below `phones`.
    static func handle(_ number: Int) -> String { "ab" + String(format: "%062x", number) }

    /// The device token that this phone had before.
    static func formerHandle(_ number: Int) -> String { MessageGenerator.goneHandle + String(format: "%060x", number) }

    /// - Returns: also when it began to count, in seconds since 1970.
    static func start(in directory: String) async throws -> (HubEmulator, began: Double) {
        let policy = SASPolicy(
            name: "chaos", key: Secret(keys.first), secondaryKey: Secret(keys.second), rights: [.send, .listen])
        var settings = EmulatorSettings(
            hubs: of(.notificationHubs).map { .init($0.rawValue, policies: [policy]) },
            senders: of(.fcm).map { sender($0.rawValue) })
        // With two keys each.
        settings.apnsSenders = of(.apns).map {
            .init($0.rawValue, topic: WorkerConfig.topic(of: $0), teamID: WorkerConfig.team, keys: [.init(), .init()])
        }
        settings.tls = EmulatorSettings.TLS(caFile: caFile(in: directory))
        settings.keptEntries = 20_000_000
        settings.keptPushesPerInbox = 1
        settings.keptPushes = 1
        settings.keptHandles = 1
        var log = Logger(label: "chaos.emulator")
        log.logLevel = .critical
        let began = Date().timeIntervalSince1970
        let emulator = try HubEmulator(settings, logger: log, tls: SelfIssuedTLS())
        _ = try await emulator.start()
        for number in 0..<phones { try register(number, at: emulator) }
        return (emulator, began)
    }

    private static func register(_ number: Int, at emulator: HubEmulator) throws {
        let id = "phone-\(number)"
        for hub in of(.fcm) {
            let topics = [topics[number % topics.count]]
            try emulator.register(
                Installation(id, platform: .fcmV1, pushChannel: .handle(id), topics: topics), at: hub.rawValue)
        }
        for hub in of(.apns) {
            // Each has got a new token since: the former one is gone.
            for handle in [formerHandle(number), handle(number)] {
                try emulator.register(Installation(id, pushChannel: .handle(handle)), at: hub.rawValue)
            }
        }
    }

    /// With two accounts, as hubs have two keys.
    private static func sender(_ name: String) -> EmulatorSettings.Sender {
        let project = "\(name)-chaos"
        var sender = EmulatorSettings.Sender(
            name, project: project, accounts: [.init(project: project), .init(project: project, name: "second")])
        sender.tokenSeconds = tokenSeconds
        return sender
    }

    /// The settings of workers that serve all of its hubs.
    ///
    /// - Parameter database: a conninfo.
    static func config(of emulator: HubEmulator, database: String, in directory: String) -> WorkerConfig {
        WorkerConfig(
            database: database, emulator: emulator.endpoint ?? "", secureEmulator: emulator.secureEndpoint ?? "",
            caFile: caFile(in: directory),
            credentials: Dictionary(
                uniqueKeysWithValues: TestHub.allCases.map { ($0, credentials(of: $0, at: emulator)) }))
    }

    private static func credentials(of hub: TestHub, at emulator: HubEmulator) -> WorkerConfig.Credentials {
        switch hub.kind {
        case .notificationHubs:
            let first = emulator.connectionString(for: hub.rawValue)?.reveal() ?? ""
            return .init(first: first, second: first.replacing(keys.first, with: keys.second))
        case .fcm:
            let accounts = (0...1).map { emulator.serviceAccount(of: hub.rawValue, account: $0)?.reveal() ?? "" }
            return .init(first: accounts[0], second: accounts[1])
        case .apns:
            let keys = emulator.apnsSender(hub.rawValue)?.keys ?? []
            return .init(
                first: keys.first?.p8.reveal() ?? "", second: keys.last?.p8.reveal() ?? "",
                ids: (keys.first?.id ?? "", keys.last?.id ?? ""))
        }
    }

    private static func of(_ kind: HubKind) -> [TestHub] { TestHub.allCases.filter { $0.kind == kind } }

    private static func caFile(in directory: String) -> String { directory + "/ca.pem" }
}
