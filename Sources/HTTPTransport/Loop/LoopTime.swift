import Concurrency

/// The time by both clocks, for everything that happens in the same step of the loop.
struct LoopTime {
    /// Nanoseconds of a clock that never jumps.
    let monotonic = SystemClock.monotonicNanoseconds()
    /// Seconds since 1970.
    let wall = SystemClock.wallSeconds()
}
