/// For how long a hub has asked to wait, in all. Pure; times are monotonic seconds.
struct ClosedTime: Equatable {
    /// Seconds of waits, or parts of them, that are over.
    private var over = 0.0
    private var from = -Double.infinity
    private var until = -Double.infinity

    /// The hub takes posts again at `until`; before `now`: it does now.
    mutating func wait(until: Double, now: Double) {
        over = seconds(now: now)
        from = now
        self.until = until
    }

    /// Never less than before.
    func seconds(now: Double) -> Double { over + max(0, min(now, until) - from) }
}
