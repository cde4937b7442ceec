import Synchronization

/// Something that happens once, and that any number of tasks wait for: the wish to stop.
public final class Latch: Sendable {
    private struct State {
        var hasHappened = false
        var waiting = WaiterQueue<Void, Void>()
    }

    private let state = Mutex(State())

    public init() {}

    public var hasHappened: Bool { state.withLock { $0.hasHappened } }

    /// Wakes every task that waits. A second call changes nothing.
    public func happen() {
        let waiting = state.withLock { state in
            state.hasHappened = true
            return state.waiting.popAll()
        }
        for waiter in waiting { waiter.resume(returning: ()) }
    }

    /// Returns when it has happened; earlier only when the task is cancelled.
    public func wait() async {
        await WaiterQueue.wait(whenCancelled: ()) { waiter in
            state.withLock { state in
                if state.hasHappened { return () }
                state.waiting.append(waiter)
                return nil
            }
        } remove: { id in
            state.withLock { $0.waiting.remove(id) }
        }
    }

    /// As `wait`, but for at most this many seconds.
    public func wait(atMost seconds: Double) async {
        await withTimeLimit(.seconds(seconds)) { await self.wait() }
    }
}
