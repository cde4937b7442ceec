import Synchronization

/// How several windows share the slots of one transport that has fewer slots than the windows have places.
///
/// Half of the slots are guaranteed: each window has its part of them whatever the others do, so a hub that hangs takes
/// nothing from another. The other half is lent by need: a window that is alone may have all of it, and when others
/// come it gives that up as its requests end.
public final class SlotShares: Sendable {
    private struct State {
        var lent: [Int]
        var wants: [Bool]
    }

    private let windows: [Int]
    private let own: [Int]
    private let pool: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - slots: the most requests the transport has in flight.
    ///   - windows: the limit of each window.
    public init(slots: Int, windows: [Int]) {
        let windows = windows.map { max(1, $0) }
        let all = windows.reduce(0, +)
        let own = all <= slots ? windows : windows.map { max(1, slots / 2 * $0 / all) }
        self.windows = windows
        self.own = own
        pool = all <= slots ? 0 : max(0, slots - own.reduce(0, +))
        state = Mutex(
            State(
                lent: Array(repeating: 0, count: windows.count), wants: Array(repeating: false, count: windows.count)))
    }

    /// The slots that a window always has. At least 1.
    func guaranteed(_ member: Int) -> Int { own[member] }

    /// Takes slots beyond those guaranteed, as far as other windows do not need them.
    ///
    /// - Returns: 0 to `count`, to be returned with `release`.
    func borrow(_ count: Int, by member: Int) -> Int {
        state.withLock { state in
            guard count > 0 else {
                state.wants[member] = false
                return 0
            }
            let active = windows.indices.filter { $0 == member || state.wants[$0] || state.lent[$0] > 0 }
            let fair = pool * windows[member] / active.reduce(0) { $0 + windows[$1] }
            let granted = max(0, min(count, pool - state.lent.reduce(0, +), fair - state.lent[member]))
            state.lent[member] += granted
            state.wants[member] = granted < count
            return granted
        }
    }

    func release(_ count: Int, by member: Int) {
        guard count > 0 else { return }
        state.withLock { $0.lent[member] -= count }
    }

    /// No caller waits at this window.
    func rest(_ member: Int) { state.withLock { $0.wants[member] = false } }
}
