import Store

/// Which campaigns start together, and which one by itself: to start some, their audience is counted, which may take long. Pure.
struct StartPlaces: Sendable {
    /// Left out of looks until then, in monotonic seconds.
    private var doubted: [Int32: Double] = [:]
    /// Took too long among others.
    private var slow: Set<Int32> = []
    /// Starts by itself now.
    private var alone: Int32?

    /// - Returns: the campaigns that a look leaves out.
    mutating func leftOut(now: Double) -> [Int32] {
        doubted = doubted.filter { $0.value > now }
        return Array(Set(doubted.keys).union(alone == nil ? [] : slow))
    }

    /// It cannot be started now.
    mutating func doubt(_ campaign: Int32, until: Double) { doubted[campaign] = until }

    /// From now on it starts by itself.
    mutating func tookLong(_ campaign: Int32) { slow.insert(campaign) }

    /// - Returns: those that start together, and the one that starts by itself now; the other slow ones wait for it.
    mutating func divide(_ moves: [Schedules.Move]) -> (together: [Schedules.Move], alone: Schedules.Move?) {
        let next = alone == nil ? moves.first { slow.contains($0.campaign) } : nil
        if let next { alone = next.campaign }
        return (moves.filter { !slow.contains($0.campaign) }, next)
    }

    /// - Parameter seconds: what it took.
    mutating func ended(_ campaign: Int32, seconds: Double) {
        alone = nil
        if seconds < Double(Scheduler.batchSeconds) / 2 { slow.remove(campaign) }
    }
}
