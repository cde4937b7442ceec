import Synchronization

/// The emulator's clock: the one it was given, moved forward by hand. A test that schedules for tomorrow need not wait.
///
/// It dates everything written down and answered, and says what is due. Only tokens are judged by the clock it was given:
/// clients sign by theirs, which nobody has moved.
final class EmulatorClock: Sendable {
    private let base: @Sendable () -> Double
    private let moved = Mutex(0.0)

    /// Seconds one step and all steps together move it at most: a hundred years.
    static let limit = 100 * 366 * 86_400.0

    init(_ base: @escaping @Sendable () -> Double) { self.base = base }

    /// Seconds since 1970.
    var now: Double { base() + moved.withLock { $0 } }

    /// Seconds it was moved so far.
    var advance: Double { moved.withLock { $0 } }

    /// - Throws: `EmulatorError` for a step backwards, which would bring expired tokens to life, or beyond the limit.
    func advance(by seconds: Double) throws(EmulatorError) {
        try moved.withLock { moved throws(EmulatorError) in
            guard seconds >= 0, moved + seconds <= Self.limit else {
                throw EmulatorError("the clock moves forward only, by at most a hundred years")
            }
            moved += seconds
        }
    }
}
