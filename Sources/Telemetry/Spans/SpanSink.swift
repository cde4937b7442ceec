import Synchronization

/// Where a worker leaves its spans. It never waits: what finds no room is dropped and counted. Safe from any thread.
public final class SpanSink: Sendable {
    private let queue = Mutex(SpanQueue())
    private let sent: Counter
    private let dropped: Counter
    private let monotonic: @Sendable () -> Double

    /// - Parameter monotonic: seconds that never jump.
    public init(metrics: MetricsRegistry, monotonic: @escaping @Sendable () -> Double) {
        sent = metrics.counter(.spansSent)
        dropped = metrics.counter(.spansDropped)
        self.monotonic = monotonic
    }

    public func add(_ span: Span) {
        let now = monotonic()
        if !queue.withLock({ $0.add(span, now: now) }) { dropped.add() }
    }

    // MARK: For the exporter

    public var isEmpty: Bool { queue.withLock { $0.count == 0 } }

    /// Whether a batch should be sent now.
    public var isDue: Bool {
        let now = monotonic()
        return queue.withLock { $0.isDue(now: now) }
    }

    /// The oldest spans, at most one batch. Call `ended` with their number afterwards.
    public func take() -> [Span] {
        let now = monotonic()
        return queue.withLock { $0.take(now: now) }
    }

    /// Spans that were dropped since the last call because there was no room.
    public func takeOverflow() -> Int { queue.withLock { $0.takeOverflow() } }

    /// What became of spans that were taken.
    public func ended(sent: Int = 0, dropped: Int = 0) {
        self.sent.add(sent)
        self.dropped.add(dropped)
    }
}
