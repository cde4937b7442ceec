import PushModel

/// An instant in UTC by the calendar, and the five forms in which the service writes it. Without locale and formatter
/// objects, because every response needs it.
struct CivilTime: Sendable, Equatable {
    let year: Int
    /// 1 to 12.
    let month: Int
    /// 1 to 31.
    let day: Int
    /// 0 to 23.
    let hour: Int
    let minute: Int
    let second: Int
    /// 0 is Sunday.
    let weekday: Int

    init(secondsSince1970 seconds: Double) {
        // Clamped to the years 1970 to 9999, so that a test's clock cannot trap here.
        let whole = seconds.isNaN ? 0 : Int(min(max(seconds, 0), 253_402_300_799))
        let date = CivilDate(daysSince1970: whole / 86_400)
        let time = TimeOfDay(secondsSinceMidnight: whole % 86_400)
        (year, month, day) = (date.year, date.month, date.day)
        (hour, minute, second) = (time.hour, time.minute, time.second)
        weekday = CivilDate.weekday(whole / 86_400)
    }

    /// `Thu, 02 Jul 2020 18:33:23 GMT`: the `Date` header and a `Retry-After` date (RFC 9110).
    var httpDate: String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return
            "\(CivilDate.name(ofWeekday: weekday)), \(day.digits(2)) \(months[month - 1]) \(year) \(hour.digits(2)):\(minute.digits(2)):\(second.digits(2)) GMT"
    }

    /// `2020-07-02T18:33:23Z`: in Atom feeds.
    var internet: String {
        "\(year)-\(month.digits(2))-\(day.digits(2))T\(hour.digits(2)):\(minute.digits(2)):\(second.digits(2))Z"
    }

    /// `7/2/2020 6:33:23 PM`: the `TimeStamp` in an error body.
    var errorStamp: String {
        let hour12 = hour % 12 == 0 ? 12 : hour % 12
        return "\(month)/\(day)/\(year) \(hour12):\(minute.digits(2)):\(second.digits(2)) \(hour < 12 ? "AM" : "PM")"
    }

    /// `20200702183323`: the date inside a notification id.
    var compact: String {
        "\(year)\(month.digits(2))\(day.digits(2))\(hour.digits(2))\(minute.digits(2))\(second.digits(2))"
    }

}

extension CivilTime {
    /// `2026-01-02T03:04:05.9926996Z`, with the seven digits of the service's telemetry; whole seconds have no
    /// fraction.
    static func ticks(secondsSince1970 seconds: Double) -> String {
        let time = CivilTime(secondsSince1970: seconds)
        let rest = seconds.isFinite && seconds > 0 ? seconds - seconds.rounded(.down) : 0
        let digits = Int(rest * 10_000_000)
        guard digits > 0 else { return time.internet }
        let text = String(10_000_000 + digits).dropFirst()
        return time.internet.dropLast() + "." + text + "Z"
    }
}
