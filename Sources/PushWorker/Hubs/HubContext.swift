import HTTPTransport
import Postgres
import Providers
import PushModel
import Signing
import Store
import Synchronization
import Telemetry

/// One hub this worker posts to: its settings, how to talk to it, and how much it takes.
public final class HubContext: Sendable {
    /// Its number in `push.hub`.
    let id: Int32
    let settings: HubSettings
    /// Names the settings in heartbeats; nil: not said.
    let settingsHash: String?
    let provider: any Provider
    /// nil: this kind of hub registers no devices.
    let installations: Installations?
    /// Requests for devices in flight, over all hubs of the worker; nil: there are enough slots.
    let deviceSlots: Window?
    let passes: any PassSource
    /// Posts in flight, shared by the hub's lanes.
    let window: Window
    let metrics: HubMetrics
    let gate = Gate()
    let throughput = Throughput()
    let latency = RecentLatency()
    let ahead = WriteAhead()
    let keys = KeyFailover()
    let clockSkew = ClockSkew()
    let throttlePolicy = Mutex(ThrottlePolicy())
    let batchSupport = Mutex(BatchSupport())
    let targets = Mutex(TargetGuard())
    /// What was logged about it.
    let conditions = Mutex(HubConditions())
    private let limits = Mutex(RateLimits())
    /// What begins its rate limiter; nil: nothing, or it has begun.
    private let beginLimiter = Mutex<(@Sendable (HubContext) -> Void)?>(nil)
    /// Whether it is tried once although it is held.
    private let triesAtOnce: Mutex<Bool>

    /// Posts per second over all workers; nil: the database says nothing.
    private struct RateLimits {
        /// Set by a person; 0: no limit.
        var set: Double?
        /// The rate left after the hub throttled.
        var slowed: Double?
    }

    /// - Parameters:
    ///   - settingsHash: `Hubs.Registration.settingsHash`.
    ///   - installations: how its devices are registered; default: they are not.
    ///   - deviceSlots: shared by all hubs of the worker, so that devices never take the slots of messages; default:
    ///     there are enough.
    ///   - weights: how its priority classes share its window.
    ///   - shares: the transport's slots, when hubs share them; default: there are enough.
    ///   - member: which of the windows in `shares` is this hub's.
    ///   - metrics: where it counts; default: nobody reads it.
    ///   - triesAtOnce: whether a held hub is tried as soon as this worker begins: its settings have changed since it was
    ///     held. Default: at the time that the worker which held it has set.
    public init(
        id: Int32, settings: HubSettings, settingsHash: String? = nil, provider: any Provider,
        installations: Installations? = nil, deviceSlots: Window? = nil, passes: any PassSource,
        weights: PriorityWeights = PriorityWeights(), shares: SlotShares? = nil, member: Int = 0,
        metrics: MetricsRegistry = MetricsRegistry(), triesAtOnce: Bool = false
    ) {
        self.id = id
        self.settings = settings
        self.settingsHash = settingsHash
        self.provider = provider
        self.installations = installations
        self.deviceSlots = deviceSlots
        self.passes = passes
        self.triesAtOnce = Mutex(triesAtOnce)
        self.metrics = HubMetrics(settings.name, in: metrics)
        self.window = Window(
            limit: settings.window, weights: weights.inOrder, extra: Self.urgentPlaces(window: settings.window),
            shares: shares, member: member)
        window.limit(settings.ratePerSecond > 0)
    }

    /// Places of urgent messages beyond the window, so that they wait for no bulk post whose answer takes long.
    private static func urgentPlaces(window: Int) -> Int { max(1, window / 16) }

    /// Slots of the transport for urgent messages of all hubs, beside those that are for all. A worker may have thousands of
    /// hubs, of which few have urgent messages at the same time.
    public static func urgentSlots(beside slots: Int, windows: [Int]) -> Int {
        min(windows.reduce(0) { $0 + urgentPlaces(window: $1) }, max(8, slots / 16))
    }

    /// True once, for a hub whose settings have changed.
    func takeTry() -> Bool {
        triesAtOnce.withLock { triesAtOnce in
            defer { triesAtOnce = false }
            return triesAtOnce
        }
    }

    // MARK: Its passes and keys

    /// What its service lets us in with now; nil: there is none yet.
    var pass: Pass? { passes.pass(for: provider.host) }

    /// Shuts it for this worker: there is no pass. `PassSource.keepReady` reports the next one.
    ///
    /// - Parameter now: monotonic seconds.
    func lacksPass(now: Double) {
        gate.withoutPass(because: passes.trouble?.reason ?? "its pass has ended", now: now)
        // It may have been reported in between.
        if pass != nil { gate.withoutPass(because: nil, now: now) }
    }

    /// The key that signs now.
    var key: HubKey { passes.usesSecondary ? .secondary : .primary }

    /// Reports to the other workers a change of key that this one made and they do not know yet, if there is one.
    func shareKeyChange(_ hubs: any HubStateStore) async throws(DatabaseError) {
        guard let change = keys.unsharedChange else { return }
        try await hubs.use(change.key, at: id, because: change.reason)
        keys.shared(change)
    }

    /// Signs with the key that all workers use.
    ///
    /// - Returns: whether another key was used before.
    func follow(_ key: HubKey, askedAt: Double) -> Bool {
        keys.follow(key, askedAt: askedAt) { passes.use(secondary: $0 == .secondary) }
    }

    // MARK: Its rate

    /// Calls `body` once, as soon as the hub has a rate; at once if it has one now.
    func whenLimited(_ body: @escaping @Sendable (HubContext) -> Void) {
        beginLimiter.withLock { $0 = body }
        limitWindow(rate > 0)
    }

    private func limitWindow(_ isLimited: Bool) {
        window.limit(isLimited)
        guard isLimited else { return }
        let begin = beginLimiter.withLock { begin in
            defer { begin = nil }
            return begin
        }
        begin?(self)
    }

    /// Posts per second over all workers; 0: no limit.
    var rate: Double {
        let (set, slowed) = limits.withLock { ($0.set, $0.slowed) }
        let ceiling = set ?? Double(settings.ratePerSecond)
        guard let slowed else { return ceiling }
        return ceiling > 0 ? min(ceiling, slowed) : slowed
    }

    /// - Parameters:
    ///   - rate: set by a person; nil: as configured.
    ///   - slowed: the rate left after the hub throttled; nil: all of it.
    /// - Returns: whether it is back at full speed, and was not before.
    @discardableResult
    func limit(to rate: Double?, slowed: Double? = nil) -> Bool {
        let isBack = limits.withLock { limits in
            defer { limits = RateLimits(set: rate, slowed: slowed) }
            return limits.slowed != nil && slowed == nil
        }
        limitWindow(self.rate > 0)
        return isBack
    }

    /// The hub throttled: all workers continue with this many posts per second.
    func slow(to rate: Double) {
        limits.withLock { $0.slowed = rate }
        limitWindow(true)
    }

    /// What the database says about it.
    ///
    /// - Parameter askedAt: when it was asked; if we have slowed down since then, it does not know that.
    /// - Returns: whether it is back at full speed, and was not before.
    func learn(_ state: Hubs.State, askedAt: Double) -> Bool {
        guard !throttlePolicy.withLock({ $0.isNewer(than: askedAt) }) else { return false }
        return limit(to: state.rate, slowed: state.slowed)
    }

    /// How many messages are worth claiming at once: what the hub can take in about two seconds. A rate counts posts. Where
    /// messages may share a post, the claim holds enough to fill one, however low the rate is.
    func appetite(limit: Int) -> Int {
        let wanted = throughput.appetite(limit: limit)
        guard rate > 0 else { return wanted }
        let least = settings.packTags ? settings.kind.facts.tags : 1
        return min(wanted, max(least, Int(min(rate * throughput.messagesPerPost * 2, Double(limit)))))
    }

    /// An intent was written: how many more may be written ahead of free places.
    ///
    /// - Parameters:
    ///   - seconds: that it took.
    ///   - now: monotonic seconds.
    func wroteIntent(in seconds: Double, now: Double) {
        ahead.wrote(in: seconds)
        window.writeAhead(ahead.posts(rate: throughput.rate(now: now), window: window.size))
    }

    // MARK: -

    /// While the hub is closed for longer than is worth waiting for, sends away the lanes that wait for places, so that
    /// they give back their claims. After a long wait one post shows whether it is over.
    func turnAwayIfClosed(now: Double) {
        let opens = gate.opens(after: now)
        if opens > Gate.worthWaiting { window.turnAway() }
        if opens > Gate.longWait { window.shrink() }
    }

    /// What this worker reports about it with every heartbeat.
    ///
    /// - Parameter now: monotonic seconds.
    func report(now: Double) -> HubReport {
        HubReport(
            hub: id, key: key, hasSecondary: passes.hasSecondary, tokenExpiresAt: passes.expiry.map(Double.init),
            signings: passes.issued, window: window.size, inFlight: window.inFlight, rate: throughput.rate(now: now),
            latency: latency.percentiles(now: now), skewSeconds: clockSkew.seconds, settingsHash: settingsHash,
            trouble: gate.read { $0.lackOfPass(now: now) })
    }
}
