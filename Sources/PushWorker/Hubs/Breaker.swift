/// Leaves a hub alone for a while when nothing gets through to it (ARCHITECTURE.md, "When"). Pure; times are monotonic
/// seconds.
///
/// Five failures in a row open it for 1 s, then 2, 4, up to 30. After each pause one post is tried: if it gets through,
/// the others follow; if not, the next pause is twice as long. What other workers report makes this one try with a single
/// post, and never wait: their network may be at fault, and not the hub.
struct Breaker: Equatable {
    /// Failures in a row that open it.
    static let limit = 5
    /// Seconds a success keeps it closed, whatever fails beside it.
    static let grace = 1.0
    /// Seconds: the longest pause.
    static let longest = 30.0
    /// Seconds in which the database may not know yet what we know.
    static let delay = 2.0

    /// It is open until then.
    private(set) var until = -Double.infinity
    /// Failures in a row without a success, while it is closed.
    private(set) var failures = 0
    /// How often it opened in a row; 0: posts get through.
    private(set) var openings = 0
    /// When a post last got through.
    private(set) var workedAt = -Double.infinity
    /// When it last opened because of our own failures.
    private var openedAt = -Double.infinity
    /// Since when one post is being tried.
    private var probedAt: Double?

    /// Seconds until a post may leave: 0 or less: now; infinity: unknown.
    func opens(after now: Double) -> Double {
        guard openings > 0, let probedAt else { return until - now }
        // The probe will be answered soon, or the hub does not answer at all.
        return now - probedAt < Gate.worthWaiting ? 0.02 : .infinity
    }

    /// - Returns: `probe` to one caller only, after each pause.
    mutating func admit(now: Double) -> Gate.Admission {
        guard opens(after: now) <= 0 else { return .closed }
        guard openings > 0 else { return .open }
        probedAt = now
        return .probe
    }

    /// The probe did not leave.
    mutating func giveBackProbe() { probedAt = nil }

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
            until = -.infinity
            probedAt = nil
        }
        return openings > 0
    }

    /// A post did not get through.
    ///
    /// - Parameters:
    ///   - leftAt: when it left; a post that left before the breaker opened belongs to the same failure.
    ///   - jitter: seconds to add to a pause of the given length, so that not all workers come back at once.
    /// - Returns: how long it is open now, in seconds; nil when it did not open.
    mutating func failed(leftAt: Double, now: Double, jitter: (Double) -> Double) -> Double? {
        guard leftAt >= until else { return nil }
        if openings == 0 {
            failures += 1
            guard failures >= Self.limit, now - workedAt > Self.grace else { return nil }
        }
        let pause = min(Self.longest, Double(1 << min(5, openings)))
        let seconds = pause + jitter(pause)
        openings += 1
        failures = 0
        until = now + seconds
        openedAt = now
        probedAt = nil
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
            until = now
        } else if openings > 0, until > now, now - openedAt > Self.delay {
            until = now  // another worker got through, or a person resumed the hub: no need to wait longer
        }
    }
}
