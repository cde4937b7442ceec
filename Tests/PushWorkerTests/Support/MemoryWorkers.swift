import Postgres
import Synchronization

@testable import PushWorker
@testable import Store

/// The workers of a database, in memory: keeps what a heartbeat asked, and answers what the test says.
final class MemoryWorkers: WorkerRegistry {
    /// One heartbeat, as it was sent.
    struct Beat: Sendable {
        var lowestClaim: Int64?
        var doing: String
        var trouble: String?
        var reports: [HubReport]
    }

    typealias Answer<T> = Result<T, DatabaseError>

    private struct State {
        var beats: [Beat] = []
        /// The beat after which the sender is cancelled.
        var last = Int.max
        var rescued: [(worker: WorkerID, seconds: Double?)] = []
        var takenBack: [[Int64]] = []
        var waits: [Double] = []
        var pulses: [(every: Double, seconds: Double)] = []
        var longestUse: Double?
        var lockWait: LockWait?
        var lockLooks = 0
        var onBeat: @Sendable (Int) async -> Answer<Workers.Beat> = { _ in .success(Workers.Beat()) }
        var onRescue: @Sendable (WorkerID) async -> Answer<Workers.Rescued> = { _ in .success(Workers.Rescued()) }
        var onPulse: @Sendable (Int) async -> Answer<Workers.SharedPulse?> = { _ in .success(nil) }
        var onTakeBack: @Sendable ([Int64]) async -> Answer<Workers.Rescued> = { _ in .success(Workers.Rescued()) }
    }

    private let state = Mutex(State())

    var beats: [Beat] { state.withLock { $0.beats } }
    /// The rescues that were asked for.
    var rescued: [(worker: WorkerID, seconds: Double?)] { state.withLock { $0.rescued } }
    var takenBack: [[Int64]] { state.withLock { $0.takenBack } }
    /// The waits for a database that is away, in seconds.
    var waits: [Double] { state.withLock { $0.waits } }

    /// The pulses that were asked for.
    var pulses: [(every: Double, seconds: Double)] { state.withLock { $0.pulses } }

    /// How often somebody asked for waits for locks.
    var lockLooks: Int { state.withLock { $0.lockLooks } }
    /// For how long a statement of the worker has run, in seconds.
    var longestUse: Double? { state.withLock { $0.longestUse } }
    func setLongestUse(_ seconds: Double?, waitingFor wait: LockWait? = nil) {
        state.withLock { ($0.longestUse, $0.lockWait) = (seconds, wait) }
    }

    /// - Parameter answer: gets the number of the beat, from 1.
    func onBeat(_ answer: @escaping @Sendable (Int) async -> Answer<Workers.Beat>) {
        state.withLock { $0.onBeat = answer }
    }

    func onRescue(_ answer: @escaping @Sendable (WorkerID) async -> Answer<Workers.Rescued>) {
        state.withLock { $0.onRescue = answer }
    }

    func onTakeBack(_ answer: @escaping @Sendable ([Int64]) async -> Answer<Workers.Rescued>) {
        state.withLock { $0.onTakeBack = answer }
    }

    /// - Parameter answer: gets how often it was asked, from 1.
    func onPulse(_ answer: @escaping @Sendable (Int) async -> Answer<Workers.SharedPulse?>) {
        state.withLock { $0.onPulse = answer }
    }

    /// Cancels the task that sends this beat.
    func end(after beat: Int) { state.withLock { $0.last = beat } }

    func beat(
        _ me: WorkerID, lowestClaim: Int64?, doing: String, trouble: String?, reports: [HubReport]
    ) async throws(DatabaseError) -> Workers.Beat {
        let (n, isLast, answer) = state.withLock { state in
            state.beats.append(Beat(lowestClaim: lowestClaim, doing: doing, trouble: trouble, reports: reports))
            return (state.beats.count, state.beats.count >= state.last, state.onBeat)
        }
        if isLast { withUnsafeCurrentTask { $0?.cancel() } }
        return try await answer(n).get()
    }

    func rescue(_ worker: WorkerID, within seconds: Double?) async throws(DatabaseError) -> Workers.Rescued {
        let answer = state.withLock { state in
            state.rescued.append((worker, seconds))
            return state.onRescue
        }
        return try await answer(worker).get()
    }

    func rescue(claims: [Int64]) async throws(DatabaseError) -> Workers.Rescued {
        let answer = state.withLock { state in
            state.takenBack.append(claims)
            return state.onTakeBack
        }
        return try await answer(claims).get()
    }

    func sharePulse(
        _ me: WorkerID, every: Double, within seconds: Double
    ) async throws(DatabaseError) -> Workers.SharedPulse? {
        let (n, answer) = state.withLock { state in
            state.pulses.append((every, seconds))
            return (state.pulses.count, state.onPulse)
        }
        return try await answer(n).get()
    }

    func lockWait() async throws(DatabaseError) -> LockWait? {
        state.withLock { state in
            state.lockLooks += 1
            return state.lockWait
        }
    }

    func waitUntilBack(atMost seconds: Double) async -> Bool {
        state.withLock { $0.waits.append(seconds) }
        return false
    }
}
