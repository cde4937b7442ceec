import CommandLineTool
import Configuration
import Daemon
import HTTPTransport
import Logging
import Providers
import Signing

/// A hub that a command speaks to, with an open transport.
struct HubConnection: Sendable {
    let hub: HubClient
    let client: HTTPClient
    let passes: any PassSource

    /// As it would leave now.
    ///
    /// - Throws: what `make` throws; `Failure` when there is no pass.
    func signed<E: Error>(_ make: (Pass) throws(E) -> Request) async throws -> Request { try make(try await pass()) }

    /// One request. If the hub refuses the credential, the other one is tried, once, with a line in the log.
    ///
    /// - Throws: as `signed`.
    func perform<E: Error>(_ make: (Pass) throws(E) -> Request) async throws -> Reply {
        let pass = try await pass()
        let reply = await client.perform(try make(pass))
        guard case .answered(let response) = reply.outcome, [401, 403].contains(response.status),
            hub.provider.answer(to: reply).verdict.refusesCredential, passes.useOther(than: pass)
        else { return reply }
        let word = HubSecretKeys(of: hub.settings.kind).word
        Logger(label: "fanfare.hub").warning(
            "the hub refuses the \(word) in use; trying the other one", metadata: ["hub": "\(hub.settings.name)"])
        return await client.perform(try make(try await self.pass()))
    }

    /// Waits for the first one, where it has to be fetched.
    private func pass() async throws(Failure) -> Pass {
        do throws(PassTrouble) {
            return try await passes.waitForPass(to: hub.provider.host)
        } catch {
            let status: ExitStatus = if case .refused = error { .configuration } else { .unavailable }
            let name = hub.settings.name
            throw Failure(
                "cannot speak to hub \"\(name)\"", because: error.reason,
                hint: HubRemedies(of: hub.settings).remedy(of: error), status: status)
        }
    }
}
