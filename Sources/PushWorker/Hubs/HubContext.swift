import HTTPTransport
import Postgres
import Providers
import PushModel
import Signing
import Store
import Synchronization

/// One hub this worker posts to: what it is called, how to speak to it, and how much it takes.
public final class HubContext: Sendable {
    /// Its number in `push.hub`.
    let id: Int16
    let settings: HubSettings
    let provider: any Provider
    let tokens: HubTokens
    /// Posts in flight, shared by the hub's lanes.
    let window: Window
    let gate = Gate()
    let throughput = Throughput()
    let keys = KeyFailover()
    let clockSkew = ClockSkew()
    let throttlePolicy = Mutex(ThrottlePolicy())
    private let speed = Mutex(Speed())

    /// Posts per second over all workers; nil: not said.
    private struct Speed {
        /// What a person ordered; 0: no limit.
        var ordered: Double?
        /// What is left after the hub throttled.
        var slowed: Double?
    }

    /// - Parameters:
    ///   - weights: how its priority classes share its window.
    ///   - shares: the transport's slots, when hubs share them; default: there are enough.
    ///   - member: which of the windows in `shares` is this hub's.
    public init(
        id: Int16, settings: HubSettings, provider: any Provider, tokens: HubTokens,
        weights: PriorityWeights = PriorityWeights(), shares: SlotShares? = nil, member: Int = 0
    ) {
        self.id = id
        self.settings = settings
        self.provider = provider
        self.tokens = tokens
        self.window = Window(limit: settings.window, weights: weights.inOrder, shares: shares, member: member)
        window.limit(settings.ratePerSecond > 0)
    }

    // MARK: Its keys

    /// The key that signs now.
    var key: HubKey { tokens.usesSecondary ? .secondary : .primary }

    /// Tells the other workers of a change of key that this one found out by itself, if there is one they do not know.
    func tell(_ hubs: Hubs) async throws(DatabaseError) {
        guard let change = keys.untold else { return }
        try await hubs.use(change.key, at: id, because: change.reason)
        keys.told(change)
    }

    /// Signs with the key that all workers use.
    ///
    /// - Returns: whether that was another one than before.
    func follow(_ key: HubKey, askedAt: Double) -> Bool {
        keys.follow(key, askedAt: askedAt) { tokens.use(secondary: $0 == .secondary) }
    }

    // MARK: Its rate

    /// Posts per second over all workers; 0: no limit.
    var rate: Double {
        let (ordered, slowed) = speed.withLock { ($0.ordered, $0.slowed) }
        let ceiling = ordered ?? Double(settings.ratePerSecond)
        guard let slowed else { return ceiling }
        return ceiling > 0 ? min(ceiling, slowed) : slowed
    }

    /// - Parameters:
    ///   - rate: what a person ordered; nil: as configured.
    ///   - slowed: what is left of it since the hub throttled; nil: all.
    /// - Returns: whether it is back at full speed, and was not before.
    @discardableResult
    func order(rate: Double?, slowed: Double? = nil) -> Bool {
        let isBack = speed.withLock { speed in
            defer { speed = Speed(ordered: rate, slowed: slowed) }
            return speed.slowed != nil && slowed == nil
        }
        window.limit(self.rate > 0)
        return isBack
    }

    /// The hub throttled: all workers go on with so many posts per second.
    func slow(to rate: Double) {
        speed.withLock { $0.slowed = rate }
        window.limit(true)
    }

    /// What the database says about it.
    ///
    /// - Parameter askedAt: when it was asked; we may have slowed down since, and then it does not know.
    /// - Returns: whether it is back at full speed, and was not before.
    func learn(_ state: Hubs.State, askedAt: Double) -> Bool {
        guard !throttlePolicy.withLock({ $0.isNewer(than: askedAt) }) else { return false }
        return order(rate: state.rate, slowed: state.slowed)
    }

    /// How many messages are worth claiming at once: what the hub can take in about two seconds. A rate counts posts;
    /// where several messages may share one there have to be enough for that, however slow it is.
    func appetite(limit: Int) -> Int {
        let wanted = throughput.appetite(limit: limit)
        guard rate > 0 else { return wanted }
        let least = settings.packTags ? TagExpression.orLimit : 1
        return min(wanted, max(least, Int(min(rate * throughput.load * 2, Double(limit)))))
    }

    // MARK: -

    /// Sends those away who wait for places while the hub is closed for longer than is worth waiting for; they give back
    /// what they have claimed.
    func clear(now: Double) {
        if gate.opens(after: now) > Gate.worthWaiting { window.turnAway() }
    }

    /// What this worker says about it with every heartbeat.
    ///
    /// - Parameter now: monotonic seconds.
    func serving(now: Double) -> HubReport {
        HubReport(
            hub: id, key: key, hasSecondary: tokens.hasSecondary, tokenExpiresAt: tokens.expiry.map(Double.init),
            signings: tokens.signings, window: window.size, inFlight: window.inFlight, rate: throughput.rate(now: now),
            skewSeconds: clockSkew.seconds)
    }
}
