import Postgres
import PushModel
import Store

// What the parts of a worker ask of the database. Each has one implementation; tests put another in its place, so that a
// fault is a line of a test.

/// What the poller asks of the queue.
protocol DueStore: Sendable {
    func look(_ lanes: [Queue.Question]) async throws(DatabaseError) -> Set<Int>
    func dueLanes() async throws(DatabaseError) -> Set<Queue.LaneID>
    func announce(isAsleep: Bool) async throws(DatabaseError) -> Bool
}

extension Queue: DueStore {}

/// What `IntentWriter` asks of the database.
protocol IntentStore: Sendable {
    func intend(
        _ posts: ArraySlice<(n: Int, post: Post)>, under claim: Int64, waits: Bool
    ) async throws(DatabaseError) -> Intent?
    func intend(_ portions: [IntentPortion]) async throws(DatabaseError) -> [Intent?]
}

extension Queue: IntentStore {}

/// What the recorder asks of the database.
protocol ResultStore: Sendable {
    /// Records answers and outcomes, and finishes claims. After an error some of it may be recorded all the same.
    func complete(_ completion: Completion) async throws(DatabaseError) -> Completed

    /// Writes down that an entry can never be recorded.
    func giveUp(_ completion: Completion, because words: String) async throws(DatabaseError)

    /// - Returns: whether the database was away and is back.
    @discardableResult
    func waitUntilBack(atMost seconds: Double) async -> Bool
}

extension Queue: ResultStore {}

/// What a rate limiter asks of the database: the bucket of tokens that all workers share, one for each hub.
protocol RateStore: Sendable {
    /// - Returns: how many posts may leave, at most `wanted`, and the seconds until one more may.
    func takeTokens(
        _ hub: Int32, configured: Double, wanted: Int32, rampSeconds: Double
    ) async throws(DatabaseError) -> (granted: Int, wait: Double)

    /// Gives back permissions that were not used.
    func returnTokens(_ count: Int, of hub: Int32) async throws(DatabaseError)
}

extension Hubs: RateStore {}

/// What the poller asks about hubs, and reports about them to the other workers.
protocol HubStateStore: RateStore {
    func states() async throws(DatabaseError) -> [Hubs.State]

    /// - Returns: whether this worker may try a held hub now; the next worker may after `seconds`.
    func takeProbe(_ hub: Int32, next seconds: Double) async throws(DatabaseError) -> Bool

    /// - Returns: how many messages are due now that would have waited; the mark of the next step, nil: no more steps.
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

    /// The longest wait for a lock among the sessions of this role; nil: no session waits.
    func lockWait() async throws(DatabaseError) -> LockWait?

    /// - Returns: whether the database was away and is back.
    @discardableResult
    func waitUntilBack(atMost seconds: Double) async -> Bool
}

extension Workers: WorkerRegistry {}
