/// What people overlook in a schedule: that cron joins its two day fields, and the days on which clocks are changed. Pure.
enum ScheduleRemarks {
    /// Seconds ahead in which changes of the clocks are shown: a little less than a year, so that each comes once.
    static let ahead = 360 * 86_400
    /// Changes that are shown at most. Morocco has two a year, most zones have two or none.
    static let most = 4

    /// nil: at most one of the two day fields says anything.
    static func dayFields(_ line: CronLine) -> String? {
        if line.daysAreEither {
            return "Both day fields are set, and one of them is enough: it runs \(CronWords.day(line) ?? "every day")."
        }
        guard line.days.count < 31, line.weekdays.count < 7 else { return nil }
        return "Both day fields are set, and one begins with *: a day has to match both."
    }

    /// `Etc/GMT+1` is west of Greenwich, which its name hides. nil: another zone.
    static func turnedSign(_ zone: String) -> String? {
        guard let match = zone.wholeMatch(of: /(?:Etc\/)?GMT([+-])([1-9][0-9]?)/) else { return nil }
        return "The sign of \(zone) is turned round: it is UTC\(match.1 == "+" ? "-" : "+")\(match.2), all year."
    }

    /// The changes that skip or repeat a time of the line; else the next one, after which the times differ in UTC.
    static func clockChanges(_ line: CronLine, zone: String, rules: TimeZoneFile, after: Int) -> [String] {
        var found: [String] = []
        var next: String?
        var before = rules.period(at: after)
        while before.end <= after + ahead, found.count < most {
            let period = rules.period(at: before.end)
            let change = change(from: before, to: period, in: zone)
            if let effect = effect(on: line, from: before, to: period) {
                found.append("\(change): \(effect).")
            } else if next == nil, period.kind.offset != before.kind.offset {
                let shift = period.kind.offset - before.kind.offset
                next = "\(change): from then on it runs \(length(shift)) \(shift > 0 ? "earlier" : "later") in UTC."
            }
            before = period
        }
        return found.isEmpty ? [next].compactMap { $0 } : found
    }

    private static func change(from before: ZonePeriod, to after: ZonePeriod, in zone: String) -> String {
        let (old, new) = (WallTime(seconds: before.wallEnd), WallTime(seconds: after.wallStart))
        let direction = new.seconds > old.seconds ? "forward" : "back"
        return "On \(old.date) the clocks in \(zone) are set \(direction) from \(old.time) to "
            + (old.date == new.date ? new.time : "\(new)")
    }

    /// nil: the line names no time that is skipped or comes twice.
    private static func effect(on line: CronLine, from before: ZonePeriod, to after: ZonePeriod) -> String? {
        if let skipped = line.firstMatch(from: before.wallEnd, before: after.wallStart) {
            let time = WallTime(seconds: skipped).time
            return line.followsWall
                ? "it does not run in between"
                : "\(time) is skipped, and it runs at \(WallTime(seconds: after.wallStart).time)"
        }
        if let repeated = line.firstMatch(from: after.wallStart, before: before.wallEnd) {
            let time = WallTime(seconds: repeated).time
            return line.followsWall
                ? "it runs both times at \(time)" : "\(time) comes twice, and it runs the first time"
        }
        return nil
    }

    /// `1 h`, `30 min`, `24 h`
    private static func length(_ seconds: Int) -> String {
        let seconds = abs(seconds)
        return seconds.isMultiple(of: 3_600) ? "\(seconds / 3_600) h" : "\(seconds / 60) min"
    }
}
