import Signing

/// The provider token of one key: whether it serves, when the next one is made, and which connections it may use. Pure: events
/// in, steps out.
///
/// APNs refuses a token an hour after its `iat`, and a new one sooner than 20 minutes after the last (docs/wire/fcm-apns.md,
/// "Provider token"). So a token is replaced at 50 minutes of age, and never before 20, whatever happens. It is as old as the
/// older of two clocks says: the wall clock that `iat` is of, because APNs counts from there; and the monotonic one, because a
/// wall clock that was set back would keep a token for ever. One whose `iat` then lies ahead is replaced at 20 minutes.
struct ProviderTokenState: Sendable {
    /// Seconds of age at which the next one is made.
    static let renewAge = 3_000.0
    /// Seconds of age before which no other one is made.
    static let leastAge = 1_200.0
    /// Seconds of age from which APNs refuses it.
    static let endAge = Double(ProviderToken.lifetime)

    /// Seconds that an `iat` may lie ahead of the wall clock: that clock was set back, and APNs may not take the token.
    static let tolerance = 300.0

    /// What the two clocks show, in seconds.
    struct Moment: Sendable, Equatable {
        /// Since 1970-01-01 UTC.
        var wall: Double
        var monotonic: Double
    }

    struct Token: Sendable, Equatable {
        /// The whole value of `Authorization`.
        let header: Secret
        /// Its `iat`.
        let issuedAt: Int64
        /// Monotonic seconds.
        let madeAt: Double

        func age(at now: Moment) -> Double { max(now.wall - Double(issuedAt), now.monotonic - madeAt) }

        /// Seconds until its successor is made; 0 or less: it is time.
        func renewal(at now: Moment) -> Double {
            let isAhead = Double(issuedAt) - now.wall > ProviderTokenState.tolerance
            return (isAhead ? ProviderTokenState.leastAge : ProviderTokenState.renewAge) - age(at: now)
        }
    }

    enum Step: Equatable {
        case use(Token)
        /// Sign one now: `made`.
        case make
        /// There is none, and none may be made for this many seconds.
        case wait(seconds: Double, because: String)
    }

    private(set) var token: Token?
    /// Of the connections: those of an earlier one carry nothing more.
    private(set) var generation: Int64 = 0
    /// Counts up with each token and each generation: what a service says about one does not hold for the next.
    private(set) var serial: Int64 = 0
    /// Tokens made so far.
    private(set) var issued = 0
    /// Refused once while it was too young to be replaced: its connections were, in its place.
    private var isSuspect = false
    /// Refused for good.
    private var isWithdrawn = false
    /// Monotonic seconds: APNs asked for no new tokens until then.
    private var pausedUntil = -Double.infinity

    static let paused = "APNs had too many new provider tokens of this key, and none is made for 20 minutes"
    static let refusedYoung =
        "APNs refuses a provider token that is younger than 20 minutes, on new connections, too: check this machine's clock; "
        + "the next one is made when this one is 20 minutes old"

    func step(at now: Moment) -> Step {
        let pause = pausedUntil - now.monotonic
        guard let token else { return pause > 0 ? .wait(seconds: pause, because: Self.paused) : .make }
        if isWithdrawn {
            let rest = Self.leastAge - token.age(at: now)
            guard max(rest, pause) > 0 else { return .make }
            return .wait(seconds: max(rest, pause), because: rest >= pause ? Self.refusedYoung : Self.paused)
        }
        if token.renewal(at: now) > 0 { return .use(token) }
        guard pause > 0 else { return .make }
        return token.age(at: now) < Self.endAge ? .use(token) : .wait(seconds: pause, because: Self.paused)
    }

    /// Seconds after which the step may be another one, if nothing happens and no clock jumps; nil: it is time to make one.
    func rest(at now: Moment) -> Double? {
        switch step(at: now) {
        case .make: nil
        case .wait(let seconds, _): seconds
        case .use(let token):
            // Past its renewal it waits for the end of a pause, or of itself.
            token.renewal(at: now) > 0
                ? token.renewal(at: now) : min(Self.endAge - token.age(at: now), pausedUntil - now.monotonic)
        }
    }

    /// - Parameters:
    ///   - header: signed with `now.wall` as its `iat`.
    ///   - now: when it was signed, as `step(at:)` was asked.
    mutating func made(_ header: Secret, at now: Moment) {
        // Only a wall clock that jumped makes a token old so soon. APNs allows the next one, on new connections.
        if let token, now.monotonic - token.madeAt < Self.leastAge { generation += 1 }
        token = Token(header: header, issuedAt: Self.issueTime(now), madeAt: now.monotonic)
        serial += 1
        issued += 1
        (isSuspect, isWithdrawn) = (false, false)
    }

    /// The `iat` of a token that is made now.
    static func issueTime(_ now: Moment) -> Int64 { Int64(now.wall.rounded(.down)) }

    /// APNs refused it with `ExpiredProviderToken` or `UnrelatedKeyIdInToken`. Its connections are of no more use, whatever
    /// token they carry next. Refusals from connections that have been given up already are late news.
    ///
    /// - Parameters:
    ///   - serial: of the refused pass.
    ///   - generation: of the refused pass.
    mutating func forget(serial: Int64, generation: Int64, at now: Moment) {
        guard generation == self.generation else { return }
        let isCurrent = serial == self.serial
        leaveConnections()
        guard isCurrent, let token else { return }
        // A connection that carried an ended token refuses its successor, too: so a young one is tried once more.
        if isSuspect || token.age(at: now) >= Self.leastAge { isWithdrawn = true } else { isSuspect = true }
    }

    /// APNs refused it with `TooManyProviderTokenUpdates`: none is made for a while, and the connections are of no more use.
    mutating func throttled(generation: Int64, for seconds: Double, at now: Moment) {
        pausedUntil = max(pausedUntil, now.monotonic + seconds)
        if generation == self.generation { leaveConnections() }
    }

    private mutating func leaveConnections() {
        generation += 1
        serial += 1
    }
}
