import PushModel

/// How a worker works: the values of `dispatch` in config.json.
public struct DispatchSettings: Sendable, Equatable {
    /// Messages per claim at most. 1 to 1000.
    public var batch = 1000
    /// How the priority classes of a hub share its window.
    public var weights = PriorityWeights()
    /// Seconds without a heartbeat after which a worker is rescued. 5 to 300.
    public var leaseSeconds = 15.0
    /// Seconds a stopping worker waits for answers. 1 to 3600.
    public var drainSeconds = 60.0
    /// Seconds between looks for due messages while a lane is idle. The pause grows with the number of lanes beyond 32, of
    /// those that had something to do lately (`DormantLanes`).
    public var pollSeconds = 0.01
    /// Whether the worker listens for `push.wake_up()`, and sleeps when nothing has been due for a while (`PollSchedule`).
    public var listen = false
    /// Seconds between looks for due messages while the worker sleeps.
    public var asleepSeconds = 0.25
    /// Seconds between heartbeats; a fifth of the lease.
    public var beatSeconds: Double { leaseSeconds / 5 }
    /// Seconds between tries of one message on a held hub.
    public var probeSeconds = 60.0
    /// Seconds results are gathered before they are written (docs/storage.md, "Complete").
    public var gatherSeconds = 0.02
    /// Attempts a message has while others succeed (docs/storage.md, "Complete").
    public var attempts: Int16 = 10
    public var backoff = Backoff()

    public init() {}
}
