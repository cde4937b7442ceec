import Synchronization

/// Places that were taken in a window. Those that no request uses go back, at the latest with the last reference.
public final class Places: Sendable {
    /// How many were taken.
    public let count: Int
    private let window: Window
    private let unused: Atomic<Int>

    init(_ count: Int, in window: Window) {
        self.count = count
        self.window = window
        unused = Atomic(count)
    }

    /// So many requests have left. Their places are released with their answers (`Window.release`).
    public func use(_ requests: Int) { unused.subtract(requests, ordering: .relaxed) }

    /// No more requests will leave. Changes nothing when it is called again.
    public func giveBack() {
        let left = unused.exchange(0, ordering: .relaxed)
        if left > 0 { window.release(unused: left) }
    }

    deinit { giveBack() }
}

extension Window {
    /// As `take`, as a value that gives back what is not used.
    ///
    /// - Returns: possibly no places, as `take` says.
    public func places(upTo: Int, atLeast: Int = 1, lane: Int = 0) async -> Places {
        Places(await take(upTo: upTo, atLeast: atLeast, lane: lane), in: self)
    }
}
