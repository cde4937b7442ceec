/// Whether a hub that nothing gets through to is left alone for a while (architecture.md section 4). Pure; times are
/// monotonic seconds.
///
/// Five failures in a row open it for 1 s, then 2, 4, up to 30. After each pause one post is tried: when it gets
/// through, everything follows; when not, the next pause is twice as long. What other workers found out makes this one
/// try with one post, and never wait: it may be their network that is ill, and not the hub.
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
    /// When something last got through.
    private(set) var workedAt = -Double.infinity
    /// When it last opened because of our own failures.
    private var openedAt = -Double.infinity
    /// Since when one post is being tried.
    private var triedAt: Double?

    /// Seconds until somebody may send: 0 or less now, infinity when nobody knows.
    func opens(after now: Double) -> Double {
        guard openings > 0, let triedAt else { return until - now }
        // The one that is tried will be answered soon, or the hub is one that does not answer.
        return now - triedAt < Gate.worthWaiting ? 0.02 : .infinity
    }

    /// - Returns: `probe` to one caller only, after each pause.
    mutating func admit(now: Double) -> Gate.Admission {
        guard opens(after: now) <= 0 else { return .closed }
        guard openings > 0 else { return .open }
        triedAt = now
        return .probe
    }

    /// The one that should be tried did not leave.
    mutating func giveBack() { triedAt = nil }

    /// Something got through.
    ///
    /// - Returns: whether that is news.
    mutating func worked(now: Double) -> Bool {
        workedAt = now
        return answered()
    }

    /// The hub answered, whatever it said: it is there.
    ///
    /// - Returns: whether that is news.
    mutating func answered() -> Bool {
        defer {
            failures = 0
            openings = 0
            until = -.infinity
            triedAt = nil
        }
        return openings > 0
    }

    /// A post did not get through.
    ///
    /// - Parameters:
    ///   - leftAt: when it left; what left before it opened belongs to the same failure.
    ///   - extra: what is added to a pause of so many seconds, so that not all workers come back at once.
    /// - Returns: how long it is open now, in seconds; nil when it did not open.
    mutating func failed(leftAt: Double, now: Double, extra: (Double) -> Double) -> Double? {
        guard leftAt >= until else { return nil }
        if openings == 0 {
            failures += 1
            guard failures >= Self.limit, now - workedAt > Self.grace else { return nil }
        }
        let pause = min(Self.longest, Double(1 << min(5, openings)))
        let seconds = pause + extra(pause)
        openings += 1
        failures = 0
        until = now + seconds
        openedAt = now
        triedAt = nil
        return seconds
    }

    /// What the database says.
    ///
    /// - Parameter seconds: until the worker that opened its own tries again; nil: posts get through everywhere.
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
