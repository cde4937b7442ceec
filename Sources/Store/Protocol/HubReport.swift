/// What a worker reports about one hub with every heartbeat: a row of `push.serving`.
public struct HubReport: Sendable, Equatable {
    /// Milliseconds in which the hub gave 50, 95 and 99 of 100 answers of the last minute.
    public struct Latency: Sendable, Equatable {
        public var p50: Double
        public var p95: Double
        public var p99: Double

        public init(p50: Double, p95: Double, p99: Double) {
            (self.p50, self.p95, self.p99) = (p50, p95, p99)
        }
    }

    public var hub: Int32
    public var key: HubKey
    /// Whether the worker has a second key.
    public var hasSecondary: Bool
    /// Seconds since 1970, by the worker's clock; nil: it has no pass.
    public var tokenExpiresAt: Double?
    /// Passes signed or fetched since the worker began.
    public var signings: Int
    /// Posts that may be in flight now.
    public var window: Int
    public var inFlight: Int
    /// Answers per second, lately.
    public var rate: Double
    /// nil: no answer came in the last minute.
    public var latency: Latency?
    /// How far our clock is ahead of the hub's; nil: unknown.
    public var skewSeconds: Double?
    /// Of the settings it works with (`Hubs.Registration`); nil: unknown.
    public var settingsHash: String?
    /// Why it has no pass for the hub, and posts nothing there; nil: it has one.
    public var trouble: String?

    public init(
        hub: Int32, key: HubKey = .primary, hasSecondary: Bool = false, tokenExpiresAt: Double? = nil,
        signings: Int = 0, window: Int = 1, inFlight: Int = 0, rate: Double = 0, latency: Latency? = nil,
        skewSeconds: Double? = nil, settingsHash: String? = nil, trouble: String? = nil
    ) {
        self.hub = hub
        self.key = key
        self.hasSecondary = hasSecondary
        self.tokenExpiresAt = tokenExpiresAt
        self.signings = signings
        self.window = window
        self.inFlight = inFlight
        self.rate = rate
        self.latency = latency
        self.skewSeconds = skewSeconds
        self.settingsHash = settingsHash
        self.trouble = trouble
    }
}

/// Which of a hub's two keys. The raw values are those of `push.hub_state.key`.
public enum HubKey: String, Sendable, CaseIterable {
    case primary
    case secondary

    public var other: HubKey { self == .primary ? .secondary : .primary }
}
