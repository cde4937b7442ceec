import CommandLineTool
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
    func signed<E: Error>(_ make: (Pass) throws(E) -> Request) throws -> Request { try make(try pass()) }

    /// One request. If the hub refuses the credential, the other one is tried, once, with a line in the log.
    ///
    /// - Throws: what `make` throws; `Failure` when there is no pass.
    func perform<E: Error>(_ make: (Pass) throws(E) -> Request) async throws -> Reply {
        let pass = try pass()
        let reply = await client.perform(try make(pass))
        guard case .answered(let response) = reply.outcome, response.status == 401, passes.useOther(than: pass)
        else { return reply }
        Logger(label: "fanfare.hub").warning(
            "the hub refuses the key in use; trying the other one", metadata: ["hub": "\(hub.settings.name)"])
        return await client.perform(try make(try self.pass()))
    }

    private func pass() throws -> Pass {
        if let pass = passes.pass(for: hub.provider.host) { return pass }
        throw Failure(
            "cannot speak to hub \"\(hub.settings.name)\"",
            because: passes.trouble?.reason ?? "there is no pass for it yet",
            status: .unavailable)
    }
}
