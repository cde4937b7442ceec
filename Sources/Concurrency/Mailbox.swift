import Synchronization

/// Values from many tasks for one that waits for them, in order. Unlike an `AsyncStream` it does not end when that task is
/// cancelled: a task that has begun something learns how it ended.
package final class Mailbox<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var waiting: CheckedContinuation<Value, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    package func post(_ value: Value) {
        let waiting = state.withLock { state in
            if state.waiting == nil { state.values.append(value) }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: value)
    }

    /// The next value; waits for it. Only one task may wait.
    package func next() async -> Value {
        await withCheckedContinuation { continuation in
            let value: Value? = state.withLock { state in
                // A mistake of the program: the first would wait for ever, and nothing would say why.
                precondition(state.waiting == nil, "two tasks wait for a mailbox")
                if !state.values.isEmpty { return state.values.removeFirst() }
                state.waiting = continuation
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
