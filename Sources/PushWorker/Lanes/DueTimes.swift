/// When the messages of one post were due, in monotonic seconds. Most were enqueued together: then nothing is allocated.
struct DueTimes: Sendable, Equatable {
    /// Seconds by which times may differ to be kept as one: less than the smallest bucket that counts them.
    static let precision = 0.01

    /// Of the first message; -infinity: not known.
    private let first: Double
    private let count: Int
    /// Of each message; empty: they are all as that of the first.
    private let each: [Double]

    init(_ times: some Collection<Double>) {
        first = times.first ?? -.infinity
        count = times.count
        each = times.contains { [first] in abs($0 - first) > Self.precision } ? Array(times) : []
    }

    /// Calls `body` with the seconds since some of the messages were due, and with how many these are.
    ///
    /// - Parameter now: monotonic seconds.
    func forEachWait(until now: Double, _ body: (_ seconds: Double, _ messages: Int) -> Void) {
        if each.isEmpty { return body(now - first, count) }
        for time in each { body(now - time, 1) }
    }
}
