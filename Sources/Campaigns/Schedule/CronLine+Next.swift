import PushModel

/// One time at which a schedule runs.
public struct Occurrence: Sendable, Equatable {
    /// Seconds since 1970.
    public let instant: Int
    /// What the clocks show then: seconds since midnight of 1970-01-01 there.
    public let wall: Int
    /// What the schedule names, where the clocks are set forward over it: then it runs at the first instant after the jump.
    public let skipped: Int?
}

extension CronLine {
    /// Seconds a search goes ahead: eight years, in which 29 February comes once at least, also around 2100.
    public static let horizon = 8 * 366 * 86_400

    /// The next time after an instant, in seconds since 1970; nil: none within eight years, as for 29 February on a certain
    /// weekday.
    ///
    /// A local time that the clocks skip comes at the first instant after the jump, and one that comes twice counts the first
    /// time; a line that `followsWall` runs whenever the clocks show its time.
    /// - Parameter instant: seconds since 1970.
    public func next(after instant: Int, in zone: TimeZoneFile) -> Int? {
        occurrence(after: instant, in: zone)?.instant
    }

    /// Like `next(after:in:)`, with what the clocks show then.
    ///
    /// Goes from change to change of the clocks, and between two of them from month to day to hour to minute.
    /// - Parameter instant: seconds since 1970.
    public func occurrence(after instant: Int, in zone: TimeZoneFile) -> Occurrence? {
        let all = ZonePeriod.instants
        let instant = min(max(instant, all.lowerBound), all.upperBound - Self.horizon)
        let limit = instant + Self.horizon
        var period = zone.period(at: instant + 1)
        // The period before shows which times were skipped or come for the second time.
        let isFirst = period.start <= ZonePeriod.instants.lowerBound
        var previous = isFirst ? nil : zone.period(at: period.start - 1)
        while true {
            if !followsWall, period.start > instant, let previous,
                let skipped = firstMatch(from: previous.wallEnd, before: period.wallStart)
            {
                return Occurrence(instant: period.start, wall: period.wallStart, skipped: skipped)
            }
            var from = max(instant + 1, period.start) + period.kind.offset
            if !followsWall, let previous { from = max(from, previous.wallEnd) }
            let end = min(period.end, limit) + period.kind.offset
            if let wall = firstMatch(from: from, before: end) {
                return Occurrence(instant: wall - period.kind.offset, wall: wall, skipped: nil)
            }
            guard period.end < limit else { return nil }
            previous = period
            period = zone.period(at: period.end)
        }
    }

    /// The next times after an instant, at most `count`.
    public func occurrences(_ count: Int, after instant: Int, in zone: TimeZoneFile) -> [Occurrence] {
        var found: [Occurrence] = []
        var last = instant
        while found.count < count, let next = occurrence(after: last, in: zone) {
            found.append(next)
            last = next.instant
        }
        return found
    }

    /// The first time that the line names, by the calendar alone. Both bounds in seconds since midnight of 1970-01-01.
    func firstMatch(from: Int, before end: Int) -> Int? {
        guard from < end else { return nil }
        let start = -(-from).dividedFloor(by: 60)
        var day = start.dividedFloor(by: 1_440)
        var minute = start - day * 1_440
        let lastDay = (end - 1).dividedFloor(by: 86_400)
        while day <= lastDay {
            let date = CivilDate(daysSince1970: day)
            guard months.contains(date.month) else {
                let month = months.first(from: date.month)
                let next = CivilDate(
                    year: date.year + (month == nil ? 1 : 0), month: month ?? months.first ?? 1, day: 1)
                (day, minute) = (next.daysSince1970, 0)
                continue
            }
            if matches(date, daysSince1970: day), let time = firstTime(from: minute) {
                let found = (day * 1_440 + time) * 60
                return found < end ? found : nil
            }
            (day, minute) = (day + 1, 0)
        }
        return nil
    }

    /// The first time of a day, in minutes since midnight.
    private func firstTime(from minute: Int) -> Int? {
        let hour = minute / 60
        if hours.contains(hour), let found = minutes.first(from: minute % 60) { return hour * 60 + found }
        guard let next = hours.first(from: hour + 1), let first = minutes.first else { return nil }
        return next * 60 + first
    }
}
