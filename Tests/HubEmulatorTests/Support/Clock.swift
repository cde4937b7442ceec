import Synchronization

/// A clock that a test advances by hand.
final class Clock: Sendable {
    private let seconds: Mutex<Double>

    /// - Parameter now: seconds since 1970.
    init(_ now: Double) { seconds = Mutex(now) }

    var now: Double { seconds.withLock { $0 } }

    func advance(_ by: Double) { seconds.withLock { $0 += by } }
}
