/// Leaves a hub alone for a while when nothing gets through to it (docs/reliability.md, "When"). Pure; times are monotonic
/// seconds.
///
/// Five failures in a row open it for 1 s, then 2, 4, up to 30. After each pause one post is tried: if it gets through,
/// the others follow; if not, the next pause is twice as long. What other workers report makes this one try with a single
/// post, and never wait: their network may be at fault, and not the hub.
///
/// Bulk posts that take long look like a hub that is away. So an urgent post is tried by itself, without a pause, beside the
/// probe of the others, until an urgent one fails.
struct Breaker: Equatable {
    /// Failures in a row that open it.
    static let limit = 5
    /// Seconds a success keeps it closed, whatever fails beside it.
    static let grace = 1.0
    /// Seconds: the longest pause.
    static let longest = 30.0
    /// Seconds in which the database may not know yet what we know.
    static let delay = 2.0

    /// When one post may be tried.
    private struct Try: Equatable {
        /// Not before then.
        var until = -Double.infinity
        /// Since when one is being tried.
        var probedAt: Double?

        /// Seconds until one may be tried.
        func opens(after now: Double) -> Double {
            guard let probedAt else { return until - now }
            // The probe will be answered soon, or the hub does not answer at all.
            return now - probedAt < Gate.worthWaiting ? 0.02 : .infinity
        }
    }

    /// Of all posts: it is open until then. And of urgent ones, as long as it is open.
    private var (any, urgent) = (Try(), Try())
    /// It is open until then.
    var until: Double { any.until }
    /// Failures in a row without a success, while it is closed.
    private(set) var failures = 0
    /// How often it opened in a row; 0: posts get through.
    private(set) var openings = 0
    /// When a post last got through.
    private(set) var workedAt = -Double.infinity
    /// When it last opened because of our own failures.
    private var openedAt = -Double.infinity

    /// Seconds until a post may leave: 0 or less: now; infinity: unknown.
    func opens(after now: Double, isUrgent: Bool = false) -> Double {
        guard openings > 0 else { return until - now }
        return (isUrgent ? urgent : any).opens(after: now)
    }

    /// - Returns: `probe` to one caller only, after each pause, and to one urgent one.
    mutating func admit(now: Double, isUrgent: Bool = false) -> Gate.Admission {
        guard opens(after: now, isUrgent: isUrgent) <= 0 else { return .closed }
        guard openings > 0 else { return .open }
        if isUrgent { urgent.probedAt = now } else { any.probedAt = now }
        return .probe
    }

    /// The probe did not leave.
    mutating func giveBackProbe(isUrgent: Bool = false) {
        if isUrgent { urgent.probedAt = nil } else { any.probedAt = nil }
    }

    /// A post got through.
    ///
    /// - Returns: whether nothing had got through before.
    mutating func worked(now: Double) -> Bool {
        workedAt = now
        return answered()
    }

    /// The hub answered, whatever the answer was: it can be reached.
    ///
    /// - Returns: whether nothing had got through before.
    mutating func answered() -> Bool {
        defer {
            failures = 0
            openings = 0
            (any, urgent) = (Try(), Try())
        }
        return openings > 0
    }

    /// A post did not get through.
    ///
    /// - Parameters:
    ///   - leftAt: when it left; a post that left before the breaker opened belongs to the same failure, and one that left
    ///     before another got through says nothing about the hub.
    ///   - isUrgent: then urgent ones wait as all others do.
    ///   - jitter: seconds to add to a pause of the given length, so that not all workers try again at once.
    /// - Returns: how long it is open now, in seconds; nil when it did not open.
    mutating func failed(
        leftAt: Double, now: Double, isUrgent: Bool = false, jitter: (Double) -> Double
    ) -> Double? {
        defer { if isUrgent, openings > 0 { urgent = Try(until: until) } }
        guard leftAt >= until, leftAt >= workedAt else { return nil }
        if openings == 0 {
            failures += 1
            guard failures >= Self.limit, now - workedAt > Self.grace else { return nil }
        }
        let pause = min(Self.longest, Double(1 << min(5, openings)))
        let seconds = pause + jitter(pause)
        openings += 1
        failures = 0
        any = Try(until: now + seconds)
        openedAt = now
        return seconds
    }

    /// What the database says.
    ///
    /// - Parameter seconds: until the worker whose breaker is open tries again; nil: posts get through everywhere.
    mutating func learn(_ seconds: Double?, now: Double) {
        if let seconds {
            guard seconds > 0, openings == 0, now - workedAt > Self.delay else { return }
            openings = 1
            failures = 0
            any.until = now
        } else if openings > 0, until > now, now - openedAt > Self.delay {
            // Another worker got through, or a person resumed the hub: no need to wait longer.
            (any.until, urgent.until) = (now, now)
        }
    }
}
