import Concurrency
import Configuration
import CommandLineTool
import Daemon
import Foundation
import HTTPTransport
import Providers
import PushModel

/// One hub of the settings, as commands speak to it: no database, no worker.
struct HubClient: Sendable {
    let service: HubService
    private let transport: TransportSettings

    var settings: HubSettings { service.settings }
    var provider: any Provider { service.provider }
    /// `https://host`
    var base: String { service.base }

    /// - Throws: `Failure` when the settings have no such hub, or it cannot be spoken to as configured.
    init(_ name: String, of settings: Settings) throws {
        let hub = try settings.hub(name, orCannot: "speak to hub \"\(name)\"")
        do {
            service = try HubService(hub)
        } catch {
            throw Failure("cannot speak to hub \"\(name)\"", because: "\(error)", status: .configuration)
        }
        transport = settings.transportSettings
    }

    /// Lends a connection for that many requests in flight; afterwards it is closed.
    ///
    /// - Parameter measuresTime: whether replies contain the duration of each step.
    func withConnection<T>(
        atOnce: Int = 1, measuresTime: Bool = false, _ body: (HubConnection) async throws -> T
    ) async throws -> T {
        var transport = transport
        transport.slots = atOnce
        transport.measuresTime = measuresTime
        let clients: HTTPClients
        do throws(TransportError) {
            clients = try HTTPClients(transport, http2: [provider.http2])
        } catch {
            throw Failure("cannot open the transport", because: "\(error)", status: .unavailable)
        }
        return try await withCleanup {
            let passes = try service.passes(over: clients.http1)
            async let _ = passes.keepReady { _ in }
            return try await body(
                HubConnection(hub: self, client: clients.client(provider.http2), passes: passes))
        } then: {
            await clients.shutdown()
        }
    }

    /// - Throws: `Failure` for a kind that keeps no devices.
    func installations(orCannot doing: String) throws(Failure) -> Installations {
        if let installations = service.installations { return installations }
        let kinds = HubKind.allCases.filter(\.facts.keepsDevices).map(\.rawValue)
        throw Failure(
            "cannot \(doing)", because: "hub \"\(settings.name)\" keeps no devices",
            hint: "Kinds of hubs that do: \(kinds.joined(separator: ", ")).", status: .badInput)
    }

    /// For support: sent with a request, and shown in the service's own logs.
    static func tracking() -> String { UUID().uuidString.lowercased() }
}
