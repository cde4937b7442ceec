import HTTPTransport
import Signing
import Synchronization

/// The passes of this process, by hub: a reload keeps what was fetched, and asks for nothing anew.
final class PassShelf: Sendable {
    private let kept = Mutex<[String: any PassSource]>([:])

    /// - Throws: as `HubService.passes`.
    func passes(of service: HubService, over client: HTTPClient) throws -> any PassSource {
        let name = service.settings.name
        let passes = try service.passes(over: client, continuing: kept.withLock { $0[name] })
        kept.withLock { $0[name] = passes }
        return passes
    }
}
