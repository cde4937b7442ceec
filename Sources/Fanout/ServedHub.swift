import HTTPTransport
import Postgres
import Providers
import PushModel
import Signing
import Store
import Synchronization

/// One hub this worker posts to: what it is called, how to speak to it, and how much it takes.
public final class ServedHub: Sendable {
    /// Its number in `push.hub`.
    let id: Int16
    let settings: HubSettings
    let provider: any Provider
    let tokens: HubTokens
    /// Posts in flight, shared by the hub's lanes.
    let window: Window
    let gate = Gate()
    let pace = Pace()
    let keys = KeyWatch()
    let skew = Skew()
    private let ordered = Mutex(Double?.none)

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
    var rate: Double { ordered.withLock { $0 } ?? Double(settings.ratePerSecond) }

    /// - Parameter rate: what a person ordered; nil: as configured.
    func order(rate: Double?) {
        ordered.withLock { $0 = rate }
        window.limit(self.rate > 0)
    }

    /// How many messages are worth claiming at once: what the hub can take in about two seconds. A rate counts posts;
    /// where several messages may share one there have to be enough for that, however slow it is.
    func appetite(limit: Int) -> Int {
        let wanted = pace.appetite(limit: limit)
        guard rate > 0 else { return wanted }
        let least = settings.packTags ? TagExpression.orLimit : 1
        return min(wanted, max(least, Int(min(rate * pace.load * 2, Double(limit)))))
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
    func serving(now: Double) -> Serving {
        Serving(
            hub: id, key: key, hasSecondary: tokens.hasSecondary, tokenExpiresAt: tokens.expiry.map(Double.init),
            signings: tokens.signings, window: window.size, inFlight: window.inFlight, rate: pace.rate(now: now),
            skewSeconds: skew.seconds)
    }
}
