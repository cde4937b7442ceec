import Synchronization

/// Something that happens once, and that any number of tasks may wait for: the wish to stop.
public final class Latch: Sendable {
    private struct State {
        var hasHappened = false
        var numbers = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    public init() {}

    public var hasHappened: Bool { state.withLock { $0.hasHappened } }

    /// Wakes everybody who waits. Whatever comes after the first time changes nothing.
    public func happen() {
        let waiting = state.withLock { state in
            defer { (state.hasHappened, state.waiting) = (true, [:]) }
            return state.waiting.values.map(\.self)
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Returns when it has happened; earlier only when the task is cancelled.
    public func wait() async {
        let number = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // Looked at under the lock: a cancellation after this finds the waiter.
                    if state.hasHappened || Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }

    /// As `wait`, but not longer than so many seconds.
    func wait(atMost seconds: Double) async {
        await withTaskGroup { group in
            group.addTask { await self.wait() }
            // Ends early only by cancellation, when it has happened.
            group.addTask { try? await Task.sleep(for: .seconds(seconds)) }
            await group.next()
            group.cancelAll()
        }
    }
}
