import Synchronization

/// What closures on several threads report, in the order they did.
final class Collected<Value: Sendable>: Sendable {
    private let storage = Mutex<[Value]>([])

    var values: [Value] { storage.withLock { $0 } }

    func add(_ value: Value) { storage.withLock { $0.append(value) } }
}
