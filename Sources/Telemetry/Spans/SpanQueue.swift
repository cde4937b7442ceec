/// Spans that wait to be sent, and when a batch of them is due. Pure.
struct SpanQueue: Sendable {
    /// Spans that wait at most, some megabytes; further ones are dropped.
    static let capacity = 4_096
    /// Spans in one request at most.
    static let batch = 512
    /// Seconds that a span waits for others to go with it.
    static let gatherSeconds = 1.0

    private var spans: [Span] = []
    /// Monotonic seconds: no span has waited longer.
    private var since = 0.0
    /// Spans that found no room since `takeOverflow`.
    private var overflow = 0

    var count: Int { spans.count }

    /// - Parameter now: monotonic seconds.
    /// - Returns: whether there was room.
    mutating func add(_ span: Span, now: Double) -> Bool {
        guard spans.count < Self.capacity else {
            overflow += 1
            return false
        }
        if spans.isEmpty { since = now }
        spans.append(span)
        return true
    }

    /// Whether a batch is full, or a span has waited long enough.
    func isDue(now: Double) -> Bool {
        spans.count >= Self.batch || (!spans.isEmpty && now - since >= Self.gatherSeconds)
    }

    /// - Returns: the oldest ones.
    mutating func take(now: Double) -> [Span] {
        let taken = Array(spans.prefix(Self.batch))
        spans.removeFirst(taken.count)
        since = now
        return taken
    }

    mutating func takeOverflow() -> Int {
        defer { overflow = 0 }
        return overflow
    }
}
