import Synchronization

/// Registration ids that `POST /{hub}/registrationids` gave out and nobody has used yet. The oldest are forgotten first,
/// so that asking for ids cannot fill the memory.
final class ReservedIDs: Sendable {
    private struct State {
        var ids: Set<String> = []
        /// In the order given out; may hold some that are used already.
        var order: [String] = []
        var forgotten = 0
        var changes = 0
    }

    /// Ids kept. At least 1.
    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = 100_000) { self.limit = limit }

    func add(_ id: String) {
        state.withLock { state in
            guard state.ids.insert(id).inserted else { return }
            state.order.append(id)
            state.changes += 1
            if state.order.count - state.forgotten > limit {
                state.ids.remove(state.order[state.forgotten])
                state.forgotten += 1
            }
            if state.forgotten > max(1_024, limit / 4) {
                state.order.removeFirst(state.forgotten)
                state.forgotten = 0
            }
        }
    }

    func contains(_ id: String) -> Bool { state.withLock { $0.ids.contains(id) } }

    /// It is used now.
    func remove(_ id: String) {
        state.withLock { state in
            if state.ids.remove(id) != nil { state.changes += 1 }
        }
    }

    /// Goes up with every change.
    var changes: Int { state.withLock { $0.changes } }

    /// In the order given out.
    var all: [String] {
        state.withLock { state in state.order.dropFirst(state.forgotten).filter { state.ids.contains($0) } }
    }
}
