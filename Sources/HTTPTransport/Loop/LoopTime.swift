import Concurrency

/// The time by both clocks, for everything that happens in the same step of the loop.
struct LoopTime {
    /// Nanoseconds of a clock that never jumps.
    let monotonic = SystemClock.monotonicNanoseconds()
    /// Seconds since 1970.
    let wall = SystemClock.wallSeconds()

    /// How long epoll may wait: rounded up, an hour at most; -1: as long as it likes.
    ///
    /// - Parameter deadline: nanoseconds; nil: there is none.
    static func milliseconds(until deadline: UInt64?) -> Int32 {
        guard let deadline else { return -1 }
        let now = SystemClock.monotonicNanoseconds()
        return deadline <= now ? 0 : Int32(min((deadline - now + 999_999) / 1_000_000, 3_600_000))
    }
}
