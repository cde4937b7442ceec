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
    /// Seconds that a worker may be late under `Misfire.skip`: it may have been busy. A later start was missed.
    static let grace = 60.0
    /// Times that `push.campaign_next` shows.
    static let shown = 5

    /// What to do with a campaign that is due: which of its times starts a run, which were missed, and which one comes next.
    /// Called again as long as the next one is due as well.
    ///
    /// - Parameter now: the database's clock.
    func move(_ due: Schedules.Due, now: Double) -> Schedules.Move {
        if due.isAhead { return moved(due, to: next(after: Int(now.rounded(.down)))) }
        guard let expected = due.next.map(Int.init) else {
            var move = moved(due, to: next(after: Int(due.firesAt.rounded(.down))))
            if move.next == nil { move.why = whyNever(after: Int(due.firesAt.rounded(.down))) }
            return move
        }
        let late = misfire == .skip ? Self.grace : catchUp
        let begins = { start(of: $0, campaign: due.campaign) }
        if begins(expected) < now - late {
            let certain = Int((now - late - jitter).rounded(.down))
            let missed = missed(from: expected, until: certain) { begins($0) < now - late }
            let policy = misfire == .skip ? "misfire is skip" : "catchUp"
            var move = moved(due, to: missed.next)
            missed.record(in: &move, "no worker started it within \(Int(late)) s (\(policy))")
            return move
        }
        guard misfire == .once, let second = next(after: expected), begins(second) <= now else {
            return starting(due, expected, now: now)
        }
        var last = second
        while let at = next(after: last), begins(at) <= now { last = at }
        var move = starting(due, last, now: now)
        missed(from: expected, until: last - 1) { $0 < last }.record(
            in: &move, "a later time starts instead (misfire is once)")
        return move
    }

    private func starting(_ due: Schedules.Due, _ time: Int, now: Double) -> Schedules.Move {
        var move = moved(due, to: next(after: time))
        move.scheduled = Int64(time)
        move.overlap = overlap(at: time).rawValue
        let isMissed = now - start(of: time, campaign: due.campaign) > Self.grace
        move.occasion = (isMissed ? (misfire == .all ? Occasion.all : .once) : .onTime).rawValue
        return move
    }

    private func moved(_ due: Schedules.Due, to next: Int?) -> Schedules.Move {
        Schedules.Move(
            campaign: due.campaign, expected: due.next, next: next.map(Int64.init),
            firesAt: next.map { start(of: $0, campaign: due.campaign) },
            upcoming: upcoming(Self.shown, from: next).map(Int64.init))
    }

    /// The times from `first` on that are missed. Missed times follow each other without a gap.
    ///
    /// - Parameter certain: every time before it is missed, so that a very long outage is passed over in one step.
    private func missed(from first: Int, until certain: Int, where isMissed: (Int) -> Bool) -> MissedTimes {
        var found = MissedTimes(first: first)
        var last = first
        while let at = next(after: last) {
            guard isMissed(at) else {
                found.next = at
                break
            }
            found.add(at)
            last = found.isFull ? max(at, certain - 1) : at
        }
        return found
    }
}

/// Times of a schedule that start nothing because no worker lived, or because a later one starts instead.
private struct MissedTimes {
    /// Runs that are put on record for them at most: of a long outage the oldest, and the reason says how many there were.
    static let recorded = 100
    /// Times that are counted one by one.
    static let most = 20_000

    private(set) var times: [Int]
    private(set) var last: Int
    private(set) var count = 1
    var isFull: Bool { count >= Self.most }
    /// The time behind them; nil: no further time.
    var next: Int?

    init(first: Int) { (times, last) = ([first], first) }

    mutating func add(_ time: Int) {
        if times.count < Self.recorded { times.append(time) }
        last = time
        count += 1
    }

    func record(in move: inout Schedules.Move, _ reason: String) {
        move.missed = times.map(Int64.init)
        move.why = "missed: \(reason)"
        if count > 1 {
            let (first, last) = (WallTime(seconds: times[0]).stamp(), WallTime(seconds: last).stamp())
            move.why = "missed: \(reason); \(isFull ? "more than " : "")\(count) times from \(first) to \(last)"
        }
    }
}
