import PushModel

/// The footer of a time zone file: what holds after the last change that the file lists. A `TZ` string of POSIX with the
/// extensions of RFC 9636, section 3.3.1: hours from -167 to 167, and daylight saving time all year.
struct ZoneRule: Sendable, Equatable {
    /// When the clocks are changed, each year.
    struct Change: Sendable, Equatable {
        enum Day: Sendable, Equatable {
            /// `J1` to `J365`: 29 February is never counted.
            case julian(Int)
            /// `0` to `365`: 29 February is counted.
            case ordinal(Int)
            /// `M3.5.0`: month, week (5 is the last), weekday (0 is Sunday).
            case weekday(month: Int, week: Int, day: Int)
        }

        var day: Day
        /// Seconds from midnight by the clocks that are still in use; may be negative, and more than a day.
        var time: Int

        /// What the wall shows when it is changed: seconds since midnight of 1970-01-01.
        func wall(in year: Int) -> Int { date(in: year) * 86_400 + time }

        /// Days from 1970-01-01.
        private func date(in year: Int) -> Int {
            let newYear = CivilDate(year: year, month: 1, day: 1).daysSince1970
            switch day {
            case .ordinal(let number): return newYear + number
            case .julian(let number):
                let isLeap = CivilDate(year: year, month: 2, day: 29).isInCalendar
                return newYear + number - 1 + (isLeap && number >= 60 ? 1 : 0)
            case .weekday(let month, let week, let weekday):
                let first = CivilDate(year: year, month: month, day: 1).daysSince1970
                let last = CivilDate(year: year, month: month + 1, day: 0).daysSince1970
                let day = first + (weekday - CivilDate.weekday(first) + 7) % 7 + 7 * (week - 1)
                return day > last ? day - 7 : day
            }
        }
    }

    /// A zone without daylight saving time has no changes.
    struct Daylight: Sendable, Equatable {
        var kind: LocalTimeType
        var start: Change
        var end: Change
    }

    var standard: LocalTimeType
    var daylight: Daylight?

    /// The time around an instant without change. Where the rule changes nothing for years, it ends sooner than it had to.
    func period(at instant: Int) -> ZonePeriod {
        let all = ZonePeriod.instants
        guard let daylight else { return ZonePeriod(start: all.lowerBound, end: all.upperBound, kind: standard) }
        let year = CivilDate(daysSince1970: (instant + standard.offset).dividedFloor(by: 86_400)).year
        // One change may fall into the year before or after. At the end of a year that is daylight time all along, both
        // come at once: then the start is the later one.
        var changes: [(at: Int, kind: LocalTimeType)] = []
        for year in year - 2...year + 2 {
            changes.append((daylight.end.wall(in: year) - daylight.kind.offset, standard))
            changes.append((daylight.start.wall(in: year) - standard.offset, daylight.kind))
        }
        changes.sort { $0.at == $1.at ? !$0.kind.isDaylight && $1.kind.isDaylight : $0.at < $1.at }
        let next = changes.firstIndex { $0.at > instant } ?? changes.count
        return ZonePeriod(
            start: next > 0 ? changes[next - 1].at : all.lowerBound,
            end: next < changes.count ? changes[next].at : all.upperBound,
            kind: next > 0 ? changes[next - 1].kind : standard)
    }
}

extension Int {
    /// Rounded down, also below zero.
    func dividedFloor(by divisor: Int) -> Int {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
