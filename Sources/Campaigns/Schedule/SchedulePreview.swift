/// What is shown of a schedule, so that people see what they asked for: words, cron line, zone, the next times, and what is
/// easily overlooked. Pure.
public struct SchedulePreview: Sendable, Equatable {
    /// One of the next times.
    public struct Time: Sendable, Equatable {
        public let occurrence: Occurrence
        /// The offset that the zone's clocks have then.
        public let kind: LocalTimeType

        /// RFC 3339 in the zone: `2026-03-30T09:00:00+02:00`.
        public var local: String { WallTime(seconds: occurrence.wall).stamp(offset: kind.offset) }
        /// RFC 3339 in UTC: `2026-03-30T07:00:00Z`.
        public var utc: String { WallTime(seconds: occurrence.instant).stamp() }
        /// The local time that the schedule names, where the clocks skip it: `2026-03-29 02:30`.
        public var skipped: String? { occurrence.skipped.map { WallTime(seconds: $0).description } }
        /// For people: `Mon 2026-03-30 09:00 +02:00`.
        public var shown: String { WallTime(seconds: occurrence.wall).shown(offset: kind.offset) }
    }

    public let line: CronLine
    /// The name of the zone.
    public let zone: String
    /// Ascending. Fewer than asked for where eight years pass between two of them; empty: none within eight years.
    public let times: [Time]
    /// Whole sentences about both day fields, and about changes of the clocks within a year.
    public let remarks: [String]

    /// - Parameters:
    ///   - zone: the name that `rules` were read under.
    ///   - after: seconds since 1970; times after this instant are shown.
    ///   - count: how many times.
    public init(_ line: CronLine, zone: String, rules: TimeZoneFile, after: Int, count: Int) {
        self.line = line
        self.zone = zone
        times = line.occurrences(count, after: after, in: rules).map {
            Time(occurrence: $0, kind: rules.period(at: $0.instant).kind)
        }
        remarks =
            [ScheduleRemarks.dayFields(line), ScheduleRemarks.turnedSign(zone)].compactMap { $0 }
            + ScheduleRemarks.clockChanges(line, zone: zone, rules: rules, after: after)
    }

    /// `at 09:00 on Monday to Friday, Europe/Berlin`
    public var words: String { "\(CronWords.words(line)), \(zone)" }
}
