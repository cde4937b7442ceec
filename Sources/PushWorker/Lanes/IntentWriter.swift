import Postgres
import PushModel
import Store
import Synchronization

/// Writes the intents of all lanes of a worker: those that wait at the same time share a statement (`IntentLine`).
///
/// A statement is run by the task of one of its portions, which hands the next one to a task that waits: no task of its own,
/// and no switch of tasks for a lane alone.
final class IntentWriter: Sendable {
    private enum Turn: Sendable {
        /// Write your own, and these with it.
        case write(with: [IntentLine<Waiter>.Entry])
        /// Yours was written, or not.
        case written(Result<Intent?, DatabaseError>)
        /// The shared statement gave no result for yours: write it alone.
        case alone
    }

    private typealias Waiter = CheckedContinuation<Turn, Never>

    private let store: any IntentStore
    private let line = Mutex(IntentLine<Waiter>())

    /// Portions in line.
    var waiting: Int { line.withLock { $0.count } }

    init(store: any IntentStore) { self.store = store }

    /// Writes the posts that are about to leave. Committed when it returns, and so before the first byte leaves.
    ///
    /// - Returns: what may leave now; nil when the claim was rescued: post nothing of it.
    /// - Throws: `DatabaseError`. It may be committed all the same; repeating it changes nothing.
    func write(_ portion: IntentPortion) async throws(DatabaseError) -> Intent? {
        switch await turn(for: portion) {
        case .write(let others): return try await write(portion, with: others)
        case .written(let result): return try result.get()
        case .alone: return try await writeAlone(portion)
        }
    }

    private func turn(for portion: IntentPortion) async -> Turn {
        if line.withLock({ $0.begin() }) { return .write(with: []) }
        return await withCheckedContinuation { waiter in
            let isFree = line.withLock { line in
                // A statement may have ended since the first look.
                if line.begin() { return true }
                line.append(.init(portion: portion, ticket: waiter))
                return false
            }
            if isFree { waiter.resume(returning: .write(with: [])) }
        }
    }

    private func write(
        _ mine: IntentPortion, with others: [IntentLine<Waiter>.Entry]
    ) async throws(DatabaseError) -> Intent? {
        let portions = [mine] + others.map(\.portion)
        var turns: [Turn]
        do throws(DatabaseError) {
            turns = try await store.intend(portions).map { intent in
                intent?.isHeld == true ? .alone : .written(.success(intent))
            }
        } catch {
            // What the database refuses in one of them must not stop the others.
            turns = portions.map { _ in error.isTransient ? .written(.failure(error)) : .alone }
        }
        endTurn()
        let own = turns.removeFirst()
        for (other, turn) in zip(others, turns) { other.ticket.resume(returning: turn) }
        guard case .written(let result) = own else { return try await writeAlone(mine) }
        return try result.get()
    }

    /// Waits for up to two seconds when another session holds the claim; not one of the statements at once, which must not
    /// wait for that.
    private func writeAlone(_ portion: IntentPortion) async throws(DatabaseError) -> Intent? {
        try await store.intend(portion.posts[...], under: portion.claim, waits: true)
    }

    private func endTurn() {
        let next = line.withLock { $0.ended() }
        next.first?.ticket.resume(returning: .write(with: Array(next.dropFirst())))
    }
}
