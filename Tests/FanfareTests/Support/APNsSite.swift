import EmulatorTLS
import Foundation
import HubEmulator
import Logging
import ProgramSupport
import Testing

/// A sender of APNs on loopback and settings that lead there; no database.
final class APNsSite: Sendable {
    let emulator: HubEmulator
    let fanfare: BuiltProgram
    let scratch: ScratchDirectory
    /// Lines of keys that are secret here.
    let secrets: [String]

    enum Proof {
        case key
        /// A key that Apple does not know, before a good one.
        case unknownKey(secondary: Bool)
        case certificate
    }

    /// Lends a sender `ios` of production with two keys.
    ///
    /// - Parameters:
    ///   - members: more members of the hub's settings, each followed by a comma.
    ///   - proof: what the settings have of it.
    ///   - database: `database.url` of the settings; nil: none.
    static func run(
        _ members: String = "", _ proof: Proof = .key, database: String? = nil,
        _ body: (APNsSite) async throws -> Void
    ) async throws {
        var settings = EmulatorSettings(hubs: [])
        var sender = EmulatorSettings.APNsSender("ios", topic: "com.example.shop", keys: [.init(), .init()])
        sender.hasCertificate = true
        settings.apnsSenders = [sender]
        settings.tls = .init()
        let emulator = try HubEmulator(
            settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, tls: SelfIssuedTLS())
        _ = try await emulator.start()
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(APNsSite(emulator, members, proof, database)))
        } catch {
            outcome = .failure(error)
        }
        await emulator.stop()
        try outcome.get()
    }

    private init(_ emulator: HubEmulator, _ members: String, _ proof: Proof, _ database: String?) throws {
        let sender = try #require(emulator.apnsSender("ios"))
        scratch = try ScratchDirectory()
        self.emulator = emulator
        var texts: [String: String] = [:]
        var others: [String: String] = ["teamId": sender.teamID, "topic": sender.topic]
        switch proof {
        case .key:
            texts["key"] = sender.keys[0].p8.reveal()
            others["keyId"] = sender.keys[0].id
        case .unknownKey(let hasSecondary):
            let unknown = EmulatorSettings.APNsSender.Key()
            texts["key"] = unknown.p8.reveal()
            others["keyId"] = unknown.id
            if hasSecondary {
                texts["secondaryKey"] = sender.keys[1].p8.reveal()
                others["secondaryKeyId"] = sender.keys[1].id
            }
        case .certificate:
            let client = try #require(emulator.apnsCertificate(of: "ios"))
            texts = ["certificate": client.certificate, "certificateKey": client.key.reveal()]
            others = [:]
        }
        secrets = texts.filter { $0.key != "certificate" }.values.compactMap {
            $0.split(separator: "\n").dropFirst().first.map(String.init)
        }
        let authority = try scratch.write(try #require(emulator.certificateAuthority), to: "ca.pem")
        // As credential files, so that no command line and no environment has them.
        for (name, text) in texts { try scratch.write(text, to: "hubs-ios-\(name)") }
        let ids = others.sorted { $0.key < $1.key }.map { #""\#($0.key)": "\#($0.value)","# }.joined(separator: " ")
        let url = database.map { #""database": {"url": "\#($0)"},"# } ?? ""
        fanfare = BuiltProgram(
            settings: try scratch.write(
                """
                {\(url) "console": {"listen": "off"}, "transport": {"caFile": "\(authority)"},
                 "hubs": {"ios": {"kind": "apns", \(ids) \(members) "endpoint": "\(emulator.secureEndpoint ?? "")"}}}
                """, to: "config.json"), scratch: scratch
        ).with(["CREDENTIALS_DIRECTORY": scratch.path, "SWIFT_BACKTRACE": "enable=no"])
    }

    /// Lets the next nine pushes fail so.
    func fail(_ status: Int, _ reason: String? = nil) throws {
        var fault = Fault(.next(9), status: status)
        fault.operations = [.apns]
        fault.errorCode = reason
        _ = try emulator.add(fault)
    }

    /// What the doctor found at the hub, by name of the finding.
    func doctor() async throws -> [String: (found: String, remedy: String)] {
        let document = try await fanfare("doctor", "--hub", "ios", "--json").json([String: Any].self)
        let findings = try #require(document["findings"] as? [[String: Any]])
        let ours = findings.filter { $0["area"] as? String == "hub ios" }.compactMap { finding in
            (finding["name"] as? String).map { name in
                func text(_ member: String) -> String { finding[member] as? String ?? "" }
                return (name, (found: text("found"), remedy: text("remedy")))
            }
        }
        return Dictionary(ours) { first, _ in first }
    }
}

extension BuiltProgram {
    fileprivate func with(_ environment: [String: String]) -> Self {
        var program = self
        program.environment = environment
        return program
    }
}
