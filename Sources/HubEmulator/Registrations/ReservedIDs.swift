import Synchronization

/// Registration ids that `POST /{hub}/registrationids` gave out and no client has used yet. The oldest are dropped
/// first, so that requests for ids cannot fill the memory.
final class ReservedIDs: Sendable {
    private struct State {
        var ids: Set<String> = []
        /// In the order given out; may contain used ones.
        var order: [String] = []
        var dropped = 0
        var changes = 0
    }

    /// Most ids kept. At least 1.
    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = 100_000) { self.limit = limit }

    func add(_ id: String) {
        state.withLock { state in
            guard state.ids.insert(id).inserted else { return }
            state.order.append(id)
            state.changes += 1
            if state.order.count - state.dropped > limit {
                state.ids.remove(state.order[state.dropped])
                state.dropped += 1
            }
            if state.dropped > max(1_024, limit / 4) {
                state.order.removeFirst(state.dropped)
                state.dropped = 0
            }
        }
    }

    func contains(_ id: String) -> Bool { state.withLock { $0.ids.contains(id) } }

    /// Call it when the id is used.
    func remove(_ id: String) {
        state.withLock { state in
            if state.ids.remove(id) != nil { state.changes += 1 }
        }
    }

    /// Increases with every change.
    var changes: Int { state.withLock { $0.changes } }

    /// In the order given out.
    var all: [String] {
        state.withLock { state in state.order.dropFirst(state.dropped).filter { state.ids.contains($0) } }
    }
}
