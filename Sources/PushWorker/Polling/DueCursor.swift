import Postgres
import Store

/// Where a lane's next look into `push.due` begins. Pure.
///
/// The claim goes forward from the last pointer taken, so it never reads dead entries again. Rows that were committed late
/// lie behind it; two backends that enqueue at once are enough for that. So up to 40 times a second the look steps back to
/// five seconds before the last step back, and such a row is hardly later than the others. From time to time it restarts
/// from the beginning (docs/storage.md, "Claim"; stepping back once a second let a message wait for up to 0.7 s on an idle
/// system, measured).
///
/// Steps back may cost 5 % of the time and restarts 2 %, but they come at least every 5 and 60 seconds: one look that hung
/// together with the database says nothing about the next one.
struct DueCursor {
    enum Kind: Equatable { case forward, stepBack, restart }

    /// Seconds between two steps back, at least.
    static let stepSeconds = 0.025
    /// Seconds between two of a kind, at most.
    static let longestStep = 5.0
    static let longestRestart = 60.0

    private(set) var position = DuePosition.start
    /// Monotonic seconds.
    private var steppedAt = -Double.infinity
    private var restartedAt = -Double.infinity
    /// What the last of its kind took, in seconds.
    private var stepCost = 0.0
    private var restartCost = 0.0

    /// - Parameters:
    ///   - now: monotonic seconds.
    ///   - wall: seconds since 1970.
    /// - Returns: what kind of look this is; `position` says where it begins.
    mutating func begin(now: Double, wall: Double) -> Kind {
        if now - restartedAt >= min(Self.longestRestart, max(1, 50 * restartCost)) {
            position = .start
            restartedAt = now
            steppedAt = now
            return .restart
        }
        if now - steppedAt >= min(Self.longestStep, max(Self.stepSeconds, 20 * stepCost)) {
            // By the clock, not five seconds behind the position: behind an old backlog there are no younger rows.
            let since = wall - (now - steppedAt) - 5
            position = min(position, DuePosition(dueAt: Timestamp(secondsSince1970: since), id: 0))
            steppedAt = now
            return .stepBack
        }
        return .forward
    }

    /// A look of this kind has ended.
    ///
    /// - Parameters:
    ///   - seconds: how long it took.
    ///   - position: of the last pointer it found; nil: it found none.
    mutating func ended(_ kind: Kind, seconds: Double, at position: DuePosition?) {
        switch kind {
        case .forward: break
        case .stepBack: stepCost = seconds
        case .restart: restartCost = seconds
        }
        if let position { self.position = position }
    }

    /// The next look begins at the start: messages went back with old due times.
    mutating func restart() { restartedAt = -.infinity }
}
