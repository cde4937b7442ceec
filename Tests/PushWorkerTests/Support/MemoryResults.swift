import Postgres
import Synchronization

@testable import PushWorker
@testable import Store

/// A database that takes results, in memory: keeps every statement, and does with it what the test says.
final class MemoryResults: ResultStore {
    /// What becomes of a statement.
    enum Reply: Sendable {
        case taken
        /// Nothing of these claims is recorded: another session holds them.
        case busy(Set<Int64>)
        /// Taken, but these claims had been rescued.
        case fenced([Int64])
        /// Nothing is recorded.
        case failed(DatabaseError)
    }

    private struct State {
        var statements: [Completion] = []
        var recorded = Completion()
        var late: [Int64] = []
        var givenUp: [(entry: Completion, words: String)] = []
        var waits: [Double] = []
        var reply: @Sendable (Completion) async -> Reply = { _ in .taken }
        var replyToGivingUp: @Sendable () -> DatabaseError? = { nil }
        var duringWait: @Sendable () async -> Void = {}
    }

    private let state = Mutex(State())

    /// All that were sent, with those that failed.
    var statements: [Completion] { state.withLock { $0.statements } }

    /// What all statements together have recorded, in order.
    var recorded: Completion { state.withLock { $0.recorded } }

    /// Entries that came after their claim was finished. A database would no longer find their claims.
    var late: [Int64] { state.withLock { $0.late } }

    var givenUp: [(entry: Completion, words: String)] { state.withLock { $0.givenUp } }

    /// The waits for a database that is away, in seconds.
    var waits: [Double] { state.withLock { $0.waits } }

    func onStatement(_ reply: @escaping @Sendable (Completion) async -> Reply) {
        state.withLock { $0.reply = reply }
    }

    /// - Parameter reply: nil: it is written down.
    func onGivingUp(_ reply: @escaping @Sendable () -> DatabaseError?) {
        state.withLock { $0.replyToGivingUp = reply }
    }

    func duringWait(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.duringWait = body } }

    func complete(_ completion: Completion) async throws(DatabaseError) -> Completed {
        let reply = state.withLock { state in
            state.statements.append(completion)
            return state.reply
        }
        await Task.yield()  // a recorder that never waits must not keep the other tests from running
        var done = Completed()
        switch await reply(completion) {
        case .taken: record(completion)
        case .busy(let claims):
            done.busy = claims.sorted()
            record(completion.divided(by: claims).rest)
        case .fenced(let claims):
            done.fenced = claims
            done.late = completion.divided(by: Set(claims)).theirs.answered.count
            record(completion)
        case .failed(let error): throw error
        }
        return done
    }

    private func record(_ completion: Completion) {
        state.withLock { state in
            let finished = Set(state.recorded.finished)
            state.late += completion.answered.map(\.post).filter { finished.contains(Claim.of(post: $0)) }
            state.late += completion.left.filter { finished.contains($0.claim) }.map(\.message)
            state.recorded.add(completion)
        }
    }

    func giveUp(_ completion: Completion, because words: String) async throws(DatabaseError) {
        if let error = state.withLock({ $0.replyToGivingUp })() { throw error }
        state.withLock { $0.givenUp.append((completion, words)) }
    }

    func waitUntilBack(atMost seconds: Double) async -> Bool {
        let duringWait = state.withLock { state in
            state.waits.append(seconds)
            return state.duringWait
        }
        await duringWait()
        return false
    }
}

extension DatabaseError {
    /// The connection broke: trying again may help.
    static let away = DatabaseError(doing: "record results", message: "server closed the connection", isTransient: true)

    /// A value is refused, and will be refused again.
    static let refusal = DatabaseError(doing: "record results", sqlState: "22000", message: "never")
}
