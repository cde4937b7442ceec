import Concurrency

/// Time, as closures, so that a test can stop it.
public struct Clock: Sendable {
    /// Seconds since 1970-01-01 UTC: for signatures.
    public var wall: @Sendable () -> Double
    /// Seconds that never jump: for waiting, leases and expiry.
    public var monotonic: @Sendable () -> Double

    public init(wall: @escaping @Sendable () -> Double, monotonic: @escaping @Sendable () -> Double) {
        self.wall = wall
        self.monotonic = monotonic
    }

    public static let system = Clock(wall: SystemClock.wallSeconds, monotonic: SystemClock.monotonicSeconds)
}
