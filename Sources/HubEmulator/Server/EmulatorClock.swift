import Synchronization

/// The emulator's clock: the given clock plus the seconds a test has advanced it, so that a test which schedules for
/// tomorrow need not wait.
///
/// It dates journal entries and responses, and decides what is due. Tokens are checked against the given clock: clients
/// sign by their own, which is not advanced.
final class EmulatorClock: Sendable {
    private let base: @Sendable () -> Double
    private let advanced = Mutex(0.0)

    /// Upper limit of all steps together, in seconds: a hundred years.
    static let limit = 100 * 366 * 86_400.0

    init(_ base: @escaping @Sendable () -> Double) { self.base = base }

    /// Seconds since 1970.
    var now: Double { base() + advanced.withLock { $0 } }

    /// Seconds advanced so far.
    var advance: Double { advanced.withLock { $0 } }

    /// - Throws: `EmulatorError` for a step backwards or beyond the limit.
    func advance(by seconds: Double) throws(EmulatorError) {
        try advanced.withLock { advanced throws(EmulatorError) in
            guard seconds >= 0, advanced + seconds <= Self.limit else {
                throw EmulatorError("the clock moves forward only, by at most a hundred years")
            }
            advanced += seconds
        }
    }

    /// Takes back all steps. What was recorded meanwhile keeps its later time.
    func reset() { advanced.withLock { $0 = 0 } }
}
