import Synchronization

/// What happened on the server's side, in order: a test waits for it, or looks at all of it.
final class Events<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func add(_ value: Value) {
        values.withLock { $0.append(value) }
        continuation.yield(value)
    }

    var all: [Value] { values.withLock { $0 } }

    /// Waits for the next one. One task at a time may wait.
    func next() async -> Value? {
        for await value in stream { return value }
        return nil
    }
}
