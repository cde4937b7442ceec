import Postgres
import PushModel
import Store

/// What the poller asks about hubs, and tells the other workers about them.
protocol HubStateStore: TokenBucket {
    func states() async throws(DatabaseError) -> [Hubs.State]

    /// - Returns: whether this worker may try a held hub now; the next one may in so many seconds.
    func takeProbe(_ hub: Int32, next seconds: Double) async throws(DatabaseError) -> Bool

    /// - Returns: how many messages are due now that would have waited; the mark of the next step, nil: there is none.
    func returnRefused(
        _ hub: Int32, within seconds: Double, after mark: String?
    ) async throws(DatabaseError) -> (messages: Int64, next: String?)

    func use(_ key: HubKey, at hub: Int32, because reason: String) async throws(DatabaseError)

    /// - Returns: whether the database was away and is back.
    @discardableResult
    func waitUntilBack(atMost seconds: Double) async -> Bool
}

extension Hubs: HubStateStore {}

extension HubStateStore {
    /// Waits after a fault of the database; cut short when it is back, or the caller has to stop.
    ///
    /// - Parameter goesOn: asked four times a second.
    nonisolated(nonsending) func waitUntilBack(
        atMost seconds: Double, by clock: Clock, while goesOn: () -> Bool
    ) async {
        let until = clock.monotonic() + seconds
        while goesOn(), !Task.isCancelled {
            let left = until - clock.monotonic()
            guard left > 0, await !waitUntilBack(atMost: min(left, 0.25)) else { return }
        }
    }
}
