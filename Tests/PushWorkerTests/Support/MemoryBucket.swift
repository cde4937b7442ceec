import Postgres
import Synchronization

@testable import PushWorker

/// The bucket of a hub's tokens, in memory: gives what the test says.
final class MemoryBucket: RateStore {
    /// One question for tokens.
    struct Question: Equatable, Sendable {
        var hub: Int32
        var configured: Double
        var wanted: Int32
    }

    enum Reply: Sendable {
        /// So many, and the next one in so many seconds.
        case tokens(Int, wait: Double)
        case failed(DatabaseError)
    }

    private struct State {
        var questions: [Question] = []
        var returned: [Int] = []
        var replies: [Reply]
    }

    private let state: Mutex<State>
    private let refusesReturns: Bool

    /// - Parameter replies: one after the other; after the last one everything is granted.
    init(_ replies: [Reply] = [], refusesReturns: Bool = false) {
        state = Mutex(State(replies: replies))
        self.refusesReturns = refusesReturns
    }

    var questions: [Question] { state.withLock { $0.questions } }
    var returned: [Int] { state.withLock { $0.returned } }

    func takeTokens(
        _ hub: Int32, configured: Double, wanted: Int32, rampSeconds: Double
    ) async throws(DatabaseError) -> (granted: Int, wait: Double) {
        let reply = state.withLock { state -> Reply in
            state.questions.append(Question(hub: hub, configured: configured, wanted: wanted))
            return state.replies.isEmpty ? .tokens(Int(wanted), wait: 0) : state.replies.removeFirst()
        }
        switch reply {
        case .tokens(let count, let wait): return (count, wait)
        case .failed(let error): throw error
        }
    }

    func returnTokens(_ count: Int, of hub: Int32) async throws(DatabaseError) {
        if refusesReturns { throw .away }
        state.withLock { $0.returned.append(count) }
    }
}
