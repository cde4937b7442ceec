import Synchronization

/// Where a lane goes on in `push.due`: held by one of its hands at a time, who claims from there and passes it on.
final class Front: Sendable {
    struct Place: Sendable {
        var walk = Walk()
        /// Messages to claim at most.
        var most: Int
        /// Claims in a row that the database refused.
        var faults = 0
    }

    private struct State {
        /// nil: a hand has it.
        var place: Place?
        var waiting: [CheckedContinuation<Place, Never>] = []
    }

    private let state: Mutex<State>

    init(most: Int) { state = Mutex(State(place: Place(most: most))) }

    /// Waits until it is this hand's; `pass` has to follow.
    func take() async -> Place {
        await withCheckedContinuation { continuation in
            let now: Place? = state.withLock { state in
                guard let place = state.place else {
                    state.waiting.append(continuation)
                    return nil
                }
                state.place = nil
                return place
            }
            if let now { continuation.resume(returning: now) }
        }
    }

    func pass(_ place: Place) {
        let next: CheckedContinuation<Place, Never>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.place = place
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: place)
    }
}
