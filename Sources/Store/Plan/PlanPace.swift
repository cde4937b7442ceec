import Postgres

/// How fast a hub may be posted to and takes posts, as in `push.hub_health`.
public struct PlanPace: Sendable, Equatable {
    /// Posts a second at most, over all workers; nil: no limit.
    public var rate: Double?
    /// The same at this moment, less for three minutes after the hub throttled; nil: no limit.
    public var speed: Double?
    /// What the workers that live got of late, in posts a second; nil: no worker.
    public var answersPerSecond: Double?
    /// Posts that all workers together may have in flight; nil: no worker.
    public var window: Int32?
    /// Workers that live and serve it.
    public var workers: Int32

    public init(
        rate: Double? = nil, speed: Double? = nil, answersPerSecond: Double? = nil, window: Int32? = nil,
        workers: Int32 = 0
    ) {
        (self.rate, self.speed, self.answersPerSecond) = (rate, speed, answersPerSecond)
        (self.window, self.workers) = (window, workers)
    }

    init(_ row: inout Row) throws {
        rate = try row.doubleOrNil()
        speed = try row.doubleOrNil()
        answersPerSecond = try row.doubleOrNil()
        window = try row.int32OrNil()
        workers = try row.int32OrNil() ?? 0
    }

    /// What to reckon with: what it takes of late, where posts are going there, else what limits it. Nil: not known.
    public var postsPerSecond: Double? {
        if let measured = answersPerSecond, measured > 0 { return min(measured, speed ?? .infinity) }
        return speed
    }
}
