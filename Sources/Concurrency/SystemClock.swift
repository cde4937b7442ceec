import Glibc

/// What the clocks of this machine show.
public enum SystemClock {
    /// Seconds that never jump: for waiting, leases and expiry.
    @Sendable public static func monotonicSeconds() -> Double { seconds(CLOCK_MONOTONIC) }

    /// Seconds since 1970-01-01 UTC.
    @Sendable public static func wallSeconds() -> Double { seconds(CLOCK_REALTIME) }

    /// As `monotonicSeconds`, in nanoseconds.
    public static func monotonicNanoseconds() -> UInt64 {
        let now = time(CLOCK_MONOTONIC)
        return UInt64(now.tv_sec) &* 1_000_000_000 &+ UInt64(now.tv_nsec)
    }

    /// As `wallSeconds`, in milliseconds.
    public static func wallMilliseconds() -> Int64 {
        let now = time(CLOCK_REALTIME)
        return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        let now = time(clock)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }

    private static func time(_ clock: clockid_t) -> timespec {
        var now = timespec()
        clock_gettime(clock, &now)
        return now
    }
}
