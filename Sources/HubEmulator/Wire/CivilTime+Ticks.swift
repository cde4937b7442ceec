extension CivilTime {
    /// `2026-01-02T03:04:05.9926996Z`, with the seven digits the service writes in telemetry; without a fraction where
    /// there is none.
    static func ticks(secondsSince1970 seconds: Double) -> String {
        let time = CivilTime(secondsSince1970: seconds)
        let rest = seconds.isFinite && seconds > 0 ? seconds - seconds.rounded(.down) : 0
        let digits = Int(rest * 10_000_000)
        guard digits > 0 else { return time.internet }
        let text = String(10_000_000 + digits).dropFirst()
        return time.internet.dropLast() + "." + text + "Z"
    }

    /// Days from 1970-01-01 to a day of the calendar; nil: there is no such day.
    ///
    /// - Parameter year: 1970 to 9999.
    static func days(toYear year: Int, month: Int, day: Int) -> Int? {
        guard (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        // Years start in March here, so that the leap day is the last of its year.
        let marchYear = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
        let back = CivilTime(secondsSince1970: Double(days * 86_400))
        return back.day == day && back.month == month && back.year == year ? days : nil
    }
}
