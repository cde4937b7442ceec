import Synchronization

/// The `Date` header, formatted once a second instead of once a response.
final class DateHeaderCache: Sendable {
    private struct State {
        var second = -1.0
        var text = ""
    }

    private let state = Mutex(State())

    /// - Parameter now: seconds since 1970.
    func text(at now: Double) -> String {
        let second = now.rounded(.down)
        return state.withLock { state in
            if state.second != second || state.text.isEmpty {
                state = State(second: second, text: CivilTime(secondsSince1970: now).httpDate)
            }
            return state.text
        }
    }
}
