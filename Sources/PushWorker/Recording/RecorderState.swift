import Synchronization

/// What waits at the recorder, for readers that do not wait for it. The recorder keeps it.
final class RecorderState: Sendable {
    private struct State {
        var entries = 0
        var since: Double?
        var lanes = 0
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - entries: answers and outcomes that are not written, those of the running statement included.
    ///   - lanes: that wait for room.
    ///   - now: monotonic seconds.
    func update(entries: Int, lanes: Int, now: Double) {
        state.withLock { state in
            state.since = entries > 0 ? state.since ?? now : nil
            state.entries = entries
            state.lanes = lanes
        }
    }

    /// A statement was written that began then (monotonic seconds): what still waits came later.
    func wrote(began: Double) {
        state.withLock { state in
            if let since = state.since { state.since = max(since, began) }
        }
    }

    /// - Returns: entries that wait, since when in monotonic seconds (nil: no entry), and lanes that wait for room.
    func read() -> (entries: Int, since: Double?, lanes: Int) {
        state.withLock { ($0.entries, $0.since, $0.lanes) }
    }
}
