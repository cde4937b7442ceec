import Synchronization

/// Places that were taken in a window, some of them perhaps before they are free. Those that no request uses go back, at the
/// latest with the last reference.
public final class Places: Sendable {
    /// How many were taken.
    public let count: Int
    private let window: Window
    private let lane: Int
    private let unused: Atomic<Int>

    init(_ count: Int, in window: Window, lane: Int) {
        self.count = count
        self.window = window
        self.lane = lane
        unused = Atomic(count)
    }

    /// Lets requests leave, as far as there are free places now. Their places are released with their answers
    /// (`Window.release`).
    ///
    /// - Returns: how many.
    public func leaveNow(_ requests: Int) -> Int { use(window.leaveNow(upTo: min(requests, left), lane: lane)) }

    /// As `leaveNow`; waits until one may leave.
    ///
    /// - Returns: 0: the task was cancelled, or the caller was turned away.
    public func leave(_ requests: Int) async -> Int {
        let requests = min(requests, left)
        return requests > 0 ? use(await window.leave(upTo: requests, lane: lane)) : 0
    }

    private var left: Int { max(0, unused.load(ordering: .relaxed)) }

    private func use(_ requests: Int) -> Int {
        unused.subtract(requests, ordering: .relaxed)
        return requests
    }

    /// No more requests will leave. Changes nothing when it is called again.
    public func giveBack() {
        let left = unused.exchange(0, ordering: .relaxed)
        if left > 0 { window.release(kept: left, lane: lane) }
    }

    /// Of the places, those that `requests` requests do not need.
    public func giveBack(allBut requests: Int) {
        let left = count - requests
        guard left > 0 else { return }
        unused.subtract(left, ordering: .relaxed)
        window.release(kept: left, lane: lane)
    }

    deinit { giveBack() }
}

extension Window {
    /// As `take`, as a value that gives back what is not used. Places that are ahead (`writeAhead`) may be among them.
    ///
    /// - Returns: possibly no places, as `take` says.
    public func places(upTo: Int, atLeast: Int = 1, lane: Int = 0) async -> Places {
        Places(await keep(upTo: upTo, atLeast: atLeast, lane: lane), in: self, lane: lane)
    }
}
