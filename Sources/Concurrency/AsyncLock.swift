import Synchronization

/// A value that one of several tasks holds at a time, first come first served. Cancelling a task does not end its wait:
/// it gets the value in its turn and passes it on.
package final class AsyncLock<Value: Sendable>: Sendable {
    private struct State {
        /// nil: a task holds it.
        var value: Value?
        var waiting = WaiterQueue<Void, Value>()
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    /// Tasks in line.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Waits until no other task holds the value. Call `pass` afterwards, exactly once.
    package func take() async -> Value {
        await WaiterQueue.wait { waiter in
            state.withLock { state in
                guard let value = state.value else {
                    state.waiting.append(waiter)
                    return nil
                }
                state.value = nil
                return value
            }
        }
    }

    /// Hands the value, which may have changed, to the task that has waited longest.
    package func pass(_ value: Value) {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.value = value }
            return next
        }
        next?.resume(returning: value)
    }
}
