import Synchronization

/// How several windows share the slots of one transport that has fewer slots than the windows have places.
///
/// Half of the slots are guaranteed: each window has its part of them whatever the others do, so a hub that hangs takes
/// nothing from another. The other half is lent by need: a window that is alone may have all of it, and when others
/// come it gives that up as its requests end. Beside these slots there are some for places beyond the windows' sizes.
public final class SlotShares: Sendable {
    /// Sums are kept up to date: a worker may have thousands of hubs, and asks for every portion of posts.
    private struct State {
        var lent: [Int]
        var wants: [Bool]
        var lentInAll = 0
        var freeExtra: Int
        /// Places of the windows that want slots or were lent some.
        var active = 0

        mutating func change(_ member: Int, of windows: [Int], _ body: (inout State) -> Void) {
            let wasActive = isActive(member)
            lentInAll -= lent[member]
            body(&self)
            lentInAll += lent[member]
            guard wasActive != isActive(member) else { return }
            active += wasActive ? -windows[member] : windows[member]
        }

        func isActive(_ member: Int) -> Bool { wants[member] || lent[member] > 0 }
    }

    private let windows: [Int]
    private let own: [Int]
    private let pool: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - slots: the most requests the transport has in flight.
    ///   - windows: the limit of each window.
    ///   - extra: slots of the transport beside `slots`, for places beyond the windows' sizes. Default: none.
    public init(slots: Int, windows: [Int], extra: Int = 0) {
        let windows = windows.map { max(1, $0) }
        let all = windows.reduce(0, +)
        let own = all <= slots ? windows : windows.map { max(1, slots / 2 * $0 / all) }
        self.windows = windows
        self.own = own
        pool = all <= slots ? 0 : max(0, slots - own.reduce(0, +))
        state = Mutex(
            State(
                lent: Array(repeating: 0, count: windows.count), wants: Array(repeating: false, count: windows.count),
                freeExtra: max(0, extra)))
    }

    /// Takes slots for places beyond a window's size.
    ///
    /// - Returns: 0 to `count`, to be returned with `releaseExtra`.
    func takeExtra(_ count: Int) -> Int {
        guard count > 0 else { return 0 }
        return state.withLock { state in
            let granted = min(count, state.freeExtra)
            state.freeExtra -= granted
            return granted
        }
    }

    func releaseExtra(_ count: Int) {
        guard count > 0 else { return }
        state.withLock { $0.freeExtra += count }
    }

    /// The slots that a window always has. At least 1.
    func guaranteed(_ member: Int) -> Int { own[member] }

    /// Takes slots beyond those guaranteed, as far as other windows do not need them.
    ///
    /// - Returns: 0 to `count`, to be returned with `release`.
    func borrow(_ count: Int, by member: Int) -> Int {
        state.withLock { state in
            var granted = 0
            state.change(member, of: windows) { state in
                guard count > 0 else {
                    state.wants[member] = false
                    return
                }
                let others = state.active - (state.isActive(member) ? windows[member] : 0)
                let fair = pool * windows[member] / (others + windows[member])
                let free = pool - state.lentInAll - state.lent[member]
                granted = max(0, min(count, free, fair - state.lent[member]))
                state.lent[member] += granted
                state.wants[member] = granted < count
            }
            return granted
        }
    }

    func release(_ count: Int, by member: Int) {
        guard count > 0 else { return }
        state.withLock { $0.change(member, of: windows) { $0.lent[member] -= count } }
    }

    /// No caller waits at this window.
    func rest(_ member: Int) {
        state.withLock { $0.change(member, of: windows) { $0.wants[member] = false } }
    }
}
