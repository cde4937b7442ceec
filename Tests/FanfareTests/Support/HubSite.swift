import EmulatorTLS
import ProgramSupport
import Foundation
import HubEmulator
import Logging
import Signing

/// A hub on loopback and settings that lead there; no database.
final class HubSite: Sendable {
    /// The hub's own name; `news` in the settings.
    static let hub = "breaking-news"

    let emulator: HubEmulator
    let fanfare: BuiltProgram
    private let scratch: ScratchDirectory

    /// Lends a hub whose first policy has `BuiltProgram.secrets[0]` for its key.
    ///
    /// - Parameters:
    ///   - members: more members of the hub's settings, each followed by a comma.
    ///   - key: the key in the settings; another one than the hub's is refused.
    ///   - secondary: a second key in the settings.
    ///   - rights: what the policy may do.
    ///   - isSecure: whether the settings lead to the hub's TLS port; its authority is in `ca.pem`, and no setting names it.
    static func run(
        _ members: String = "", key: String = BuiltProgram.secrets[0], secondary: String? = nil,
        rights: Set<Right> = [.send, .listen, .manage], isSecure: Bool = false,
        _ body: (HubSite) async throws -> Void
    ) async throws {
        let policy = SASPolicy(name: "test", key: Secret(BuiltProgram.secrets[0]), rights: rights)
        var settings = EmulatorSettings(hubs: [.init(Self.hub, policies: [policy])])
        if isSecure { settings.tls = .init() }
        let emulator = try HubEmulator(
            settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, tls: SelfIssuedTLS())
        let port = try await emulator.start()
        let site: HubSite
        do {
            let endpoint = emulator.securePort.map { "sb://127.0.0.1:\($0)/" } ?? "http://127.0.0.1:\(port)/"
            site = try HubSite(emulator, endpoint, members: members, key: key, secondary: secondary)
            if let authority = emulator.certificateAuthority { try site.write(authority, to: "ca.pem") }
        } catch {
            await emulator.stop()
            throw error
        }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(site))
        } catch {
            outcome = .failure(error)
        }
        await emulator.stop()
        try outcome.get()
    }

    private init(_ emulator: HubEmulator, _ endpoint: String, members: String, key: String, secondary: String?) throws {
        func connection(_ key: String) -> String {
            "Endpoint=\(endpoint);SharedAccessKeyName=test;SharedAccessKey=\(key)"
        }
        let second = secondary.map { #""secondaryConnectionString": "\#(connection($0))","# } ?? ""
        scratch = try ScratchDirectory()
        self.emulator = emulator
        fanfare = BuiltProgram(
            settings: try scratch.write(
                """
                {"hubs": {"news": {"hub": "\(Self.hub)", \(members) \(second)
                   "connectionString": "\(connection(key))",
                   "languages": {"en": "English", "fr": "French"}, "fallback": "en"}}}
                """, to: "config.json"), scratch: scratch)
    }

    /// Registers a device with tag World and one template that shows the English title.
    func register(_ id: String, handle: String = "00FF", tags: [String] = ["World"]) throws {
        try emulator.register(
            Installation(
                id, pushChannel: .handle(handle), tags: tags,
                templates: ["t": #"{"aps":{"alert":"$(title_English)"}}"#]), at: Self.hub)
    }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String { try scratch.write(text, to: name) }
    func read(_ name: String) throws -> String { try scratch.read(name) }
    func path(_ name: String) -> String { scratch.path + "/" + name }
}
