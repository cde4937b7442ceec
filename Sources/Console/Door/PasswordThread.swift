import Concurrency
import Synchronization

/// Where passwords are checked: that takes a core for a while, so it is done one at a time, and on threads of its own.
/// Neither the event loops nor the threads that all tasks share wait for it.
final class PasswordThread: Sendable {
    /// Checks that may wait for their turn.
    static let places = 64

    private let turn = AsyncLock(())
    private let waiting = Mutex(0)

    /// Runs `check` when those before it are over.
    ///
    /// - Returns: nil, and `check` has not run: too many wait, the task was cancelled, or the system has no thread
    ///   left.
    func run<Answer: Sendable>(_ check: @escaping @Sendable () -> Answer) async -> Answer? {
        let hasPlace = waiting.withLock { waiting in
            guard waiting < Self.places else { return false }
            waiting += 1
            return true
        }
        guard hasPlace else { return nil }
        await turn.take()
        defer {
            waiting.withLock { $0 -= 1 }
            turn.pass(())
        }
        // The browser left while it waited.
        guard !Task.isCancelled else { return nil }
        return await withCheckedContinuation { continuation in
            do throws(SystemThreadError) {
                try SystemThread(named: "fanfare-scrypt", signals: .blocked) { continuation.resume(returning: check()) }
            } catch {
                continuation.resume(returning: nil)
            }
        }
    }
}
