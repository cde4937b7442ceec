import Store

/// What happens with times that passed while no worker lived.
package enum Misfire: String, Sendable, CaseIterable {
    /// Nothing: only a time that is at most a minute old starts a run.
    case skip
    /// The last of them starts one run, if it is not older than `catchUp`.
    case once
    /// Each of them that is not older than `catchUp` starts one, in order.
    case all
}

extension Schedule {
    /// Seconds that a worker may be late under `Misfire.skip`: it may have been busy.
    static let grace = 60.0
    /// Times that `push.campaign_next` shows.
    static let shown = 5

    /// What to do with a campaign that is due: which of its times starts a run, and which one comes next. Called again
    /// as long as the next one is due as well.
    ///
    /// - Parameter now: the database's clock.
    func move(_ due: Schedules.Due, now: Double) -> Schedules.Move {
        guard let expected = due.next.map(Int.init) else {
            return moved(due, to: next(after: Int(due.firesAt.rounded(.down))))
        }
        let oldest = now - (misfire == .skip ? Self.grace : catchUp)
        let begins = { start(of: $0, campaign: due.campaign) }
        if begins(expected) < oldest {
            // Too old, and so is what lies before `oldest`.
            var time = next(after: max(expected, Int((oldest - jitter).rounded(.down)) - 1))
            while let at = time, begins(at) < oldest { time = next(after: at) }
            return moved(due, to: time)
        }
        var last = expected
        if misfire == .once {
            while let at = next(after: last), begins(at) <= now { last = at }
        }
        return moved(due, starting: last, to: next(after: last))
    }

    private func moved(_ due: Schedules.Due, starting scheduled: Int? = nil, to next: Int?) -> Schedules.Move {
        Schedules.Move(
            campaign: due.campaign, expected: due.next, scheduled: scheduled.map(Int64.init),
            next: next.map(Int64.init),
            firesAt: next.map { start(of: $0, campaign: due.campaign) },
            upcoming: upcoming(Self.shown, from: next).map(Int64.init))
    }
}
