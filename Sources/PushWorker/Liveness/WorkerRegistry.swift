import Postgres
import Store

/// What a heartbeat asks of the database: to beat, and to take from dead workers what they hold.
protocol WorkerRegistry: Sendable {
    func beat(
        _ me: WorkerID, lowestClaim: Int64?, doing: String, trouble: String?, reports: [HubReport]
    ) async throws(DatabaseError) -> Workers.Beat

    /// Takes everything from a dead worker, but no further claim after these seconds.
    func rescue(_ worker: WorkerID, within seconds: Double?) async throws(DatabaseError) -> Workers.Rescued

    /// Takes back single claims that no worker knows.
    func rescue(claims: [Int64]) async throws(DatabaseError) -> Workers.Rescued

    /// Reads the pulse that one of all workers took, or takes it.
    ///
    /// - Parameters:
    ///   - every: seconds after which it is taken anew.
    ///   - seconds: how long that may take.
    /// - Returns: nil: no worker has taken one yet.
    func sharePulse(
        _ me: WorkerID, every: Double, within seconds: Double
    ) async throws(DatabaseError) -> Workers.SharedPulse?

    /// The longest wait for a lock among the sessions of this role; nil: none waits.
    func lockWait() async throws(DatabaseError) -> LockWait?

    /// - Returns: whether the database was away and is back.
    @discardableResult
    func waitUntilBack(atMost seconds: Double) async -> Bool
}

extension Workers: WorkerRegistry {}
