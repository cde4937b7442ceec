import Postgres
import PushModel
import Synchronization

@testable import PushWorker
@testable import Store

/// What is due, and the states of hubs, in memory.
final class MemoryDue: DueStore, HubStateStore {
    private struct State {
        var due: Set<Queue.LaneID> = []
        var states: [Hubs.State] = []
        var fault: DatabaseError?
        var failed = 0
        var asked: [Set<Queue.LaneID>] = []
        var dormantLooks = 0
        var announced: [Bool] = []
        var dueOnceAnnounced: Set<Queue.LaneID> = []
    }

    private let state = Mutex(State())

    /// The lanes that each `look` asked for.
    var asked: [Set<Queue.LaneID>] { state.withLock { $0.asked } }
    /// Looks for dormant lanes.
    var dormantLooks: Int { state.withLock { $0.dormantLooks } }
    /// What was said about sleeping.
    var announced: [Bool] { state.withLock { $0.announced } }

    /// Statements that failed.
    var failed: Int { state.withLock { $0.failed } }

    func setDue(_ lanes: Set<Queue.LaneID>) { state.withLock { $0.due = lanes } }
    /// These become due while the poller says that it sleeps.
    func setDueOnceAnnounced(_ lanes: Set<Queue.LaneID>) { state.withLock { $0.dueOnceAnnounced = lanes } }
    func setStates(_ states: [Hubs.State]) { state.withLock { $0.states = states } }

    /// Every statement fails with it; nil: none.
    func fail(_ fault: DatabaseError?) { state.withLock { $0.fault = fault } }

    private func answer<T>(_ body: (inout State) -> T) throws(DatabaseError) -> T {
        let answer = state.withLock { state -> Result<T, DatabaseError> in
            if let fault = state.fault {
                state.failed += 1
                return .failure(fault)
            }
            return .success(body(&state))
        }
        return try answer.get()
    }

    func look(_ lanes: [Queue.Question]) async throws(DatabaseError) -> Set<Int> {
        let ids = lanes.map { Queue.LaneID(hub: $0.hub, priority: $0.priority) }
        return try answer { state in
            state.asked.append(Set(ids))
            return Set(ids.indices.filter { state.due.contains(ids[$0]) })
        }
    }

    func dueLanes() async throws(DatabaseError) -> Set<Queue.LaneID> {
        try answer { state in
            state.dormantLooks += 1
            return state.due
        }
    }

    func announce(isAsleep: Bool) async throws(DatabaseError) -> Bool {
        try answer { state in
            state.announced.append(isAsleep)
            if isAsleep { state.due.formUnion(state.dueOnceAnnounced) }
            return true
        }
    }

    func states() async throws(DatabaseError) -> [Hubs.State] { try answer { $0.states } }
    func takeProbe(_ hub: Int32, next seconds: Double) async throws(DatabaseError) -> Bool { false }
    func returnRefused(
        _ hub: Int32, within seconds: Double, after mark: String?
    ) async throws(DatabaseError) -> (messages: Int64, next: String?) { (0, nil) }
    func use(_ key: HubKey, at hub: Int32, because reason: String) async throws(DatabaseError) {}
    func waitUntilBack(atMost seconds: Double) async -> Bool { true }

    func takeTokens(
        _ hub: Int32, configured: Double, wanted: Int32, rampSeconds: Double
    ) async throws(DatabaseError) -> (granted: Int, wait: Double) { (Int(wanted), 0) }

    func returnTokens(_ count: Int, of hub: Int32) async throws(DatabaseError) {}
}
