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
        weekday = (whole / 86_400 + 4) % 7  // 1970-01-01 was a Thursday
    }

    /// `Thu, 02 Jul 2020 18:33:23 GMT`: the `Date` header and a `Retry-After` date (RFC 9110).
    var httpDate: String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return
            "\(days[weekday]), \(two(day)) \(months[month - 1]) \(year) \(two(hour)):\(two(minute)):\(two(second)) GMT"
    }

    /// `2020-07-02T18:33:23Z`: in Atom feeds.
    var internet: String {
        "\(year)-\(two(month))-\(two(day))T\(two(hour)):\(two(minute)):\(two(second))Z"
    }

    /// `7/2/2020 6:33:23 PM`: the `TimeStamp` in an error body.
    var errorStamp: String {
        let hour12 = hour % 12 == 0 ? 12 : hour % 12
        return "\(month)/\(day)/\(year) \(hour12):\(two(minute)):\(two(second)) \(hour < 12 ? "AM" : "PM")"
    }

    /// `20200702183323`: the date inside a notification id.
    var compact: String {
        "\(year)\(two(month))\(two(day))\(two(hour))\(two(minute))\(two(second))"
    }

    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
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
