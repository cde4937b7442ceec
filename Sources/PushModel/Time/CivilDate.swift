/// A day of the Gregorian calendar. Formats are built on it where a formatter of Foundation would cost too much: in
/// every log line and every HTTP reply.
package struct CivilDate: Sendable, Equatable {
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int

    /// Takes a day that the calendar does not have too, such as February 30; see `isInCalendar`.
    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// - Parameter days: from 1970-01-01; negative before it.
    package init(daysSince1970 days: Int) {
        // Years begin on the first of March here, so that the leap day is the last day of its year. The calendar
        // repeats after an era: 400 years, 146,097 days.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days from 1970-01-01; February 30 counts as the day after February 29.
    package var daysSince1970: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    package var isInCalendar: Bool { CivilDate(daysSince1970: daysSince1970) == self }

    /// 0 is Sunday. 1970-01-01 was a Thursday.
    package static func weekday(_ daysSince1970: Int) -> Int {
        let day = (daysSince1970 + 4) % 7
        return day < 0 ? day + 7 : day
    }

    /// `Sun`: the name of a weekday, 0 to 6.
    package static func name(ofWeekday day: Int) -> String { ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][day] }

    /// `2026-03-29`
    package var text: String { "\(year.digits(4))-\(month.digits(2))-\(day.digits(2))" }
}

/// A time of day, in whole seconds.
package struct TimeOfDay: Sendable, Equatable {
    /// 0 to 23.
    package let hour: Int
    package let minute: Int
    package let second: Int

    /// - Parameter seconds: 0 to 86,399.
    package init(secondsSinceMidnight seconds: Int) {
        hour = seconds / 3_600
        minute = seconds / 60 % 60
        second = seconds % 60
    }

    /// `02:30:00`
    package var text: String { "\(hour.digits(2)):\(minute.digits(2)):\(second.digits(2))" }
}

extension Int {
    /// With zeros before it, up to a width.
    package func digits(_ width: Int) -> String {
        let digits = "\(self)"
        return digits.count < width ? String(repeating: "0", count: width - digits.count) + digits : digits
    }
}
