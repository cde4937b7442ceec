import Synchronization

/// Events from any thread, for a test to wait for.
final class Events<Element: Sendable>: Sendable {
    private struct State {
        var all: [Element] = []
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var all: [Element] { state.withLock { $0.all } }
    var count: Int { state.withLock { $0.all.count } }

    func add(_ element: Element) {
        let ready = state.withLock { state in
            state.all.append(element)
            let count = state.all.count
            defer { state.waiting.removeAll { $0.count <= count } }
            return state.waiting.filter { $0.count <= count }
        }
        for entry in ready { entry.continuation.resume() }
    }

    /// Returns when there have been at least `count`.
    @discardableResult
    func wait(for count: Int) async -> [Element] {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.all.count < count else { return true }
                state.waiting.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
        return all
    }
}
