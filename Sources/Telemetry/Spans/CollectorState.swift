/// What the answers of a collector mean: how long to wait before the next request, and whether the log has to say something.
/// Pure.
public struct CollectorState: Sendable {
    /// What the log says once.
    public enum Change: Sendable, Equatable {
        /// Spans are dropped from now on.
        case fails(String)
        /// It has taken all of them for a while; how long it dropped some, and how many.
        case recovered(afterSeconds: Double, dropped: Int)
    }

    /// Longest pause in seconds between two requests to one that fails.
    static let longestPause = 60.0
    /// Seconds without a loss after which the trouble is over. A collector at its limit loses some in every other batch.
    static let calmSeconds = 30.0

    private var failures = 0
    /// Monotonic seconds: since when spans are dropped, and when the last one was; nil: none are.
    private var losses: (since: Double, last: Double)?
    private var dropped = 0
    /// Seconds to wait before the next request.
    public private(set) var pause = 0.0

    public init() {}

    /// A request has ended.
    ///
    /// - Parameters:
    ///   - spans: that it held.
    ///   - fault: why the collector did not take them; nil: it did.
    ///   - rejected: spans that it refused of a batch that it took otherwise. Default: 0.
    ///   - overflow: spans that found no room meanwhile.
    ///   - retryAfter: seconds that it asked to wait; nil: it did not.
    ///   - now: monotonic seconds.
    public mutating func answered(
        _ spans: Int, fault: String?, rejected: Int = 0, overflow: Int, retryAfter: Double? = nil, now: Double
    ) -> Change? {
        failures = fault == nil ? 0 : failures + 1
        // 1, 2, 4 … 32 s: it is asked again soon, and not for each batch.
        let own = failures == 0 ? 0 : Double(1 << min(failures - 1, 5))
        pause = failures == 0 ? 0 : min(Self.longestPause, max(own, retryAfter ?? 0))
        dropped += overflow + (fault == nil ? rejected : spans)
        let loss = rejected > 0 ? "it rejects some" : overflow > 0 ? "it is slower than spans come" : nil
        guard let why = fault ?? loss else {
            guard let losses, now - losses.last >= Self.calmSeconds else { return nil }
            defer { (self.losses, dropped) = (nil, 0) }
            return .recovered(afterSeconds: losses.last - losses.since, dropped: dropped)
        }
        let isNew = losses == nil
        losses = (losses?.since ?? now, now)
        return isNew ? .fails(why) : nil
    }
}
