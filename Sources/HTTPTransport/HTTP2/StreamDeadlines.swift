/// When the requests of a connection have to be answered. All have the same time, so the first one is due first.
struct StreamDeadlines {
    private var ids: [Int32] = []
    private var times: [UInt64] = []
    private var head = 0

    mutating func append(_ id: Int32, at time: UInt64) {
        ids.append(id)
        times.append(time)
    }

    var first: UInt64? { head < times.count ? times[head] : nil }

    /// The next stream whose time is over; it may have ended long ago.
    mutating func popDue(at now: UInt64) -> Int32? {
        guard let first, first <= now else { return nil }
        defer { advance() }
        return ids[head]
    }

    /// Forgets those at the head that have ended.
    mutating func skip(while hasEnded: (Int32) -> Bool) {
        while head < ids.count, hasEnded(ids[head]) { advance() }
    }

    private mutating func advance() {
        head += 1
        guard head == ids.count || head >= 1_024 else { return }
        ids.removeFirst(head)
        times.removeFirst(head)
        head = 0
    }
}
