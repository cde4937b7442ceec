import Postgres
import Store

/// Where a lane's next look into `push.due` begins. Pure.
///
/// The claim goes forward from the last pointer taken, so it never walks over dead entries. Rows that were committed
/// late lie behind it, and two backends that enqueue at once are enough for that: 40 times a second the look steps back to
/// five seconds before it last did, so that such a row is no later than the others, and from time to time it starts anew.
/// Both at most so often that they cost 5 % and 2 % of the time (five-tables.md section 5, point 9; storage.md section 3,
/// point 1, steps back once a second: measured, that let a message wait for up to 0.7 s on an idle system), but not less
/// often than every 5 and 60 seconds: a look that stood still with the database says nothing about the next one.
struct DueCursor {
    enum Kind: Equatable { case onward, stepBack, restart }

    /// Seconds between two steps back, at least.
    static let stepSeconds = 0.025
    /// Seconds between two of a kind, at most.
    static let longestStep = 5.0
    static let longestRestart = 60.0

    private(set) var mark = DuePosition.start
    /// Monotonic seconds.
    private var steppedAt = -Double.infinity
    private var restartedAt = -Double.infinity
    /// What the last of its kind took, in seconds.
    private var stepCost = 0.0
    private var restartCost = 0.0

    /// - Parameters:
    ///   - now: monotonic seconds.
    ///   - wall: seconds since 1970.
    /// - Returns: what kind of look this is; `mark` says where it begins.
    mutating func begin(now: Double, wall: Double) -> Kind {
        if now - restartedAt >= min(Self.longestRestart, max(1, 50 * restartCost)) {
            mark = .start
            restartedAt = now
            steppedAt = now
            return .restart
        }
        if now - steppedAt >= min(Self.longestStep, max(Self.stepSeconds, 20 * stepCost)) {
            // Not five seconds behind the mark: in an old backlog nothing younger can be behind it.
            let since = wall - (now - steppedAt) - 5
            mark = min(mark, DuePosition(dueAt: Timestamp(secondsSince1970: since), id: 0))
            steppedAt = now
            return .stepBack
        }
        return .onward
    }

    /// What a look of that kind took, in seconds, and the last pointer it found.
    mutating func ended(_ kind: Kind, seconds: Double, at mark: DuePosition?) {
        switch kind {
        case .onward: break
        case .stepBack: stepCost = seconds
        case .restart: restartCost = seconds
        }
        if let mark { self.mark = mark }
    }

    /// The next look starts anew: something went back with an old due time.
    mutating func startAnew() { restartedAt = -.infinity }
}
