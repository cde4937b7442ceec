import HTTPTransport
import Providers
import Signing
import Synchronization

/// The passes of this process, by hub: a reload keeps what was fetched, and asks for nothing anew.
final class PassShelf: Sendable {
    /// Of all hubs at APNs: a key has one token in this process, whatever the number of its hubs.
    let apns = APNsCredentials()
    private let kept = Mutex<[String: any PassSource]>([:])
    private let told = Mutex<Set<String>>([])

    /// - Throws: as `HubService.passes`.
    func passes(of service: HubService, over client: HTTPClient) throws -> any PassSource {
        let name = service.settings.name
        let passes = try service.passes(over: client, continuing: kept.withLock { $0[name] })
        kept.withLock { $0[name] = passes }
        return passes
    }

    /// What a start does at the service: once, whatever the number of hubs with one key, and of reloads.
    func notice(of service: HubService) -> String? {
        service.startNotice.flatMap { notice in told.withLock { $0.insert(notice).inserted } ? notice : nil }
    }
}
