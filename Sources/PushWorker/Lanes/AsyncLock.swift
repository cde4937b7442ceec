import Synchronization

/// Something that one of several tasks holds at a time, and passes on in the order of coming.
final class AsyncLock<Value: Sendable>: Sendable {
    private struct State {
        /// nil: somebody holds it.
        var value: Value?
        var waiting: [CheckedContinuation<Value, Never>] = []
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    /// Waits until it is free; `pass` has to follow, exactly once.
    func take() async -> Value {
        await withCheckedContinuation { continuation in
            let now: Value? = state.withLock { state in
                guard let value = state.value else {
                    state.waiting.append(continuation)
                    return nil
                }
                state.value = nil
                return value
            }
            if let now { continuation.resume(returning: now) }
        }
    }

    func pass(_ value: Value) {
        let next: CheckedContinuation<Value, Never>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.value = value
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: value)
    }
}
