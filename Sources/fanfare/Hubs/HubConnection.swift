import CommandLineTool
import Concurrency
import HTTPTransport
import Logging
import Providers
import PushWorker
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
        guard case .answered(let response) = reply.outcome, response.status == 401, passes.useOther(than: pass)
        else { return reply }
        Logger(label: "fanfare.hub").warning(
            "the hub refuses the key in use; trying the other one", metadata: ["hub": "\(hub.settings.name)"])
        return await client.perform(try make(try await self.pass()))
    }

    /// Waits for the first one, where it has to be fetched.
    private func pass() async throws(Failure) -> Pass {
        let until = Clock.system.monotonic() + Self.patience
        while true {
            if let pass = passes.pass(for: hub.provider.host) { return pass }
            let trouble = passes.trouble
            if case .refused(let why) = trouble { throw failure(why, .configuration) }
            guard Clock.system.monotonic() < until else {
                throw failure(trouble?.reason ?? "it gives out no pass", .unavailable)
            }
            await Sleep.system(0.02)
        }
    }

    /// Seconds that a command waits for its pass.
    private static let patience = 10.0

    private func failure(_ why: String, _ status: ExitStatus) -> Failure {
        Failure("cannot speak to hub \"\(hub.settings.name)\"", because: why, status: status)
    }
}
