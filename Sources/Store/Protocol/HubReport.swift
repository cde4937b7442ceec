/// What a worker reports about one hub with every heartbeat: a row of `push.serving`.
public struct HubReport: Sendable, Equatable {
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
    /// How far our clock is ahead of the hub's; nil: unknown.
    public var skewSeconds: Double?
    /// Of the settings it works with (`Hubs.Registration`); nil: unknown.
    public var settingsHash: String?
    /// Why it has no pass for the hub, and posts nothing there; nil: it has one.
    public var trouble: String?

    public init(
        hub: Int32, key: HubKey = .primary, hasSecondary: Bool = false, tokenExpiresAt: Double? = nil,
        signings: Int = 0, window: Int = 1, inFlight: Int = 0, rate: Double = 0, skewSeconds: Double? = nil,
        settingsHash: String? = nil, trouble: String? = nil
    ) {
        self.hub = hub
        self.key = key
        self.hasSecondary = hasSecondary
        self.tokenExpiresAt = tokenExpiresAt
        self.signings = signings
        self.window = window
        self.inFlight = inFlight
        self.rate = rate
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
