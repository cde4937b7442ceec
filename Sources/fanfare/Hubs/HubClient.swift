import Configuration
import CommandLineTool
import Daemon
import PushWorker
import Foundation
import HTTPTransport
import Logging
import Providers
import PushModel
import Signing

/// One hub of the settings, as commands speak to it: no database, no worker.
struct HubClient: Sendable {
    let settings: HubSettings
    /// `https://host`
    let base: String
    let provider: NotificationHubs
    let installations: Installations
    private let tokens: HubTokens
    private let transport: TransportSettings

    /// - Throws: `Failure` when the settings have no such hub, or it cannot be spoken to as configured.
    init(_ name: String, of settings: Settings) throws {
        let hub = try settings.hub(name, orCannot: "speak to hub \"\(name)\"")
        self.settings = hub.settings
        // Settings that loaded have a connection string for every hub, and both parse.
        let primary = try ConnectionString(parsing: hub.connectionString?.reveal() ?? "")
        base = primary.base
        let secondary = try hub.secondaryConnectionString.map { try ConnectionString(parsing: $0.reveal()) }
        do throws(InvalidHub) {
            provider = try NotificationHubs(connection: primary, hub: hub.settings.hub, version: fanfareVersion)
            installations = try Installations(connection: primary, hub: hub.settings.hub, version: fanfareVersion)
        } catch {
            throw Failure("cannot speak to hub \"\(name)\"", because: "\(error)", status: .configuration)
        }
        tokens = HubTokens(
            base: primary.base, hub: hub.settings.hub, primary: primary.signingKey, secondary: secondary?.signingKey,
            now: Clock.system.wall)
        transport = settings.transportSettings
    }

    /// Lends a client for that many requests in flight; afterwards its connections are closed.
    ///
    /// - Parameter measuresTime: whether replies contain the duration of each step.
    func withLoop<T>(
        atOnce: Int = 1, measuresTime: Bool = false, _ body: (HTTPClient) async throws -> T
    ) async throws -> T {
        var transport = transport
        transport.slots = atOnce
        transport.measuresTime = measuresTime
        let loop: HTTPClient
        do throws(TransportError) {
            loop = try HTTPClient(transport)
        } catch {
            throw Failure("cannot open the transport", because: "\(error)", status: .unavailable)
        }
        let outcome: Result<T, any Error>
        do {
            outcome = .success(try await body(loop))
        } catch {
            outcome = .failure(error)
        }
        await loop.shutdown()
        return try outcome.get()
    }

    /// As it would leave now.
    func signed<E: Error>(_ make: (SASToken) throws(E) -> Request) throws(E) -> Request { try make(tokens.token()) }

    /// One request. If the hub refuses the key, the other key is tried, once, with a line in the log.
    func perform<E: Error>(on loop: HTTPClient, _ make: (SASToken) throws(E) -> Request) async throws(E) -> Reply {
        let token = tokens.token()
        let reply = await loop.perform(try make(token))
        guard case .answered(let response) = reply.outcome, response.status == 401, tokens.switchKey(from: token)
        else { return reply }
        Logger(label: "fanfare.hub").warning(
            "the hub refuses the key in use; trying the other one", metadata: ["hub": "\(settings.name)"])
        return await loop.perform(try make(tokens.token()))
    }

    /// For support: sent with a request, and shown in the service's own logs.
    static func tracking() -> String { UUID().uuidString.lowercased() }
}
