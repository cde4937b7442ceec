import Glibc
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
    enum Kind: Equatable {
        case forward, stepBack, restart
        /// A claim for a probe, beside the cursor.
        case anywhere
    }

    /// One look, of a poller or of a claim.
    struct Look: Equatable {
        var kind: Kind
        var position: DuePosition
        /// Look from this many seconds ago at the latest, by the database's clock; nil: from the position.
        var back: Double?

        /// From a random time on, of any order of magnitude up to a week: a held hub is tried with other messages than the
        /// oldest ones too, which it may refuse for themselves, however many there are.
        ///
        /// - Parameter random: 0 to 1.
        static func anywhere(random: Double) -> Look {
            let week = 604_800.0
            return Look(
                kind: .anywhere, position: DuePosition(dueAt: .infinity, id: 0), back: exp(log(week) * random))
        }
    }

    /// Seconds between two steps back, at least.
    static let stepSeconds = 0.025
    /// Seconds between two of a kind, at most.
    static let longestStep = 5.0
    static let longestRestart = 60.0
    /// How far a look steps behind the last step back.
    static let reach = 5.0

    /// What lies behind the position and has still to be looked at.
    private enum Unseen: Equatable {
        case nothing
        /// Monotonic seconds.
        case since(Double)
        case everything
    }

    /// Of the last pointer taken.
    private(set) var position = DuePosition.start
    private var unseen = Unseen.everything
    /// Monotonic seconds.
    private var steppedAt = -Double.infinity
    private var restartedAt = -Double.infinity
    /// What the last of its kind took, in seconds.
    private var stepCost = 0.0
    private var restartCost = 0.0

    /// - Parameter now: monotonic seconds.
    mutating func begin(now: Double) -> Look {
        var kind = Kind.forward
        if now - restartedAt >= min(Self.longestRestart, max(1, 50 * restartCost)) {
            kind = .restart
            unseen = .everything
            restartedAt = now
            steppedAt = now
        } else if now - steppedAt >= min(Self.longestStep, max(Self.stepSeconds, 20 * stepCost)) {
            kind = .stepBack
            // By the clock, not five seconds behind the position: behind an old backlog there are no younger rows.
            let since = steppedAt - Self.reach
            switch unseen {
            case .nothing: unseen = .since(since)
            case .since(let earlier): unseen = .since(min(earlier, since))
            case .everything: break
            }
            steppedAt = now
        }
        switch unseen {
        case .nothing: return Look(kind: kind, position: position)
        case .since(let since): return Look(kind: kind, position: position, back: now - since)
        case .everything: return Look(kind: kind, position: .start)
        }
    }

    /// A look of the poller has ended.
    ///
    /// - Parameters:
    ///   - seconds: how long it took.
    ///   - found: whether something is due: then the claim begins where this look began.
    mutating func looked(_ look: Look, seconds: Double, found: Bool) {
        note(look.kind, seconds)
        if !found { unseen = .nothing }
    }

    /// A claim has ended.
    ///
    /// - Parameters:
    ///   - seconds: how long it took.
    ///   - position: of the last pointer it took; nil: it found none.
    mutating func claimed(_ look: Look, seconds: Double, at position: DuePosition?) {
        guard look.kind != .anywhere else { return }
        note(look.kind, seconds)
        unseen = .nothing
        if let position { self.position = position }
    }

    /// The next look begins at the start: messages went back with old due times.
    mutating func restart() { restartedAt = -.infinity }

    private mutating func note(_ kind: Kind, _ seconds: Double) {
        switch kind {
        case .forward, .anywhere: break
        case .stepBack: stepCost = seconds
        case .restart: restartCost = seconds
        }
    }
}
