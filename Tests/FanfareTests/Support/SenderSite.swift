import Foundation
import HubEmulator
import Logging
import ProgramSupport
import Testing

/// A sender of FCM on loopback and settings that lead there; no database.
final class SenderSite: Sendable {
    let emulator: HubEmulator
    let fanfare: BuiltProgram
    private let scratch: ScratchDirectory

    /// Lends a sender `shop`.
    ///
    /// - Parameters:
    ///   - members: more members of the hub's settings, each followed by a comma.
    ///   - ahead: seconds the emulator's clock is ahead of ours.
    static func run(
        _ members: String = "", ahead: Double = 0, _ body: (SenderSite) async throws -> Void
    ) async throws {
        var settings = EmulatorSettings(hubs: [], senders: [.init("shop")])
        settings.now = { Date().timeIntervalSince1970 + ahead }
        let emulator = try HubEmulator(settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        _ = try await emulator.start()
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(SenderSite(emulator, members)))
        } catch {
            outcome = .failure(error)
        }
        await emulator.stop()
        try outcome.get()
    }

    private init(_ emulator: HubEmulator, _ members: String) throws {
        let account = try #require(emulator.serviceAccount(of: "shop")).reveal()
        let text = try JSONSerialization.data(withJSONObject: account, options: .fragmentsAllowed)
        scratch = try ScratchDirectory()
        self.emulator = emulator
        fanfare = BuiltProgram(
            settings: try scratch.write(
                """
                {"hubs": {"shop": {"kind": "fcm", "endpoint": "\(emulator.endpoint ?? "")", \(members)
                   "serviceAccount": \(String(decoding: text, as: UTF8.self))}}}
                """, to: "config.json"), scratch: scratch)
    }
}
