import Glibc

/// Nanoseconds of a clock that never jumps.
@inline(__always)
func monotonicNanoseconds() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) &* 1_000_000_000 &+ UInt64(now.tv_nsec)
}

/// Seconds since 1970.
func wallSeconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// The time by both clocks, for everything that happens in the same step of the loop.
struct Moment {
    /// Nanoseconds of a clock that never jumps.
    let monotonic = monotonicNanoseconds()
    /// Seconds since 1970.
    let wall = wallSeconds()
}
