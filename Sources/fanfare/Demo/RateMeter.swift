/// Messages per second over the last two seconds.
struct RateMeter: Sendable {
    private var samples: [(done: Int, at: Double)] = []

    /// - Parameter at: seconds, never less than the last time.
    mutating func note(_ done: Int, at: Double) {
        samples.append((done, at))
        while samples.count > 2, samples[1].at <= at - 2 { samples.removeFirst() }
    }

    /// 0 before there are two samples.
    var rate: Double {
        guard let first = samples.first, let last = samples.last, last.at > first.at else { return 0 }
        return Double(last.done - first.done) / (last.at - first.at)
    }
}
