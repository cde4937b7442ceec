/// An instant as a calendar says it, in UTC, and the four ways the service writes it. No locale, no formatter object:
/// it is on the path of every reply.
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
        // Clamped to the years 1970 to 9999: a clock out of a test must not be able to trap here.
        let whole = seconds.isNaN ? 0 : Int(min(max(seconds, 0), 253_402_300_799))
        let days = whole / 86_400
        let rest = whole % 86_400
        hour = rest / 3_600
        minute = rest % 3_600 / 60
        second = rest % 60
        weekday = (days + 4) % 7  // 1970-01-01 was a Thursday

        // Years start in March here, so that the leap day is the last of its year.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
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
        let onTheDial = hour % 12 == 0 ? 12 : hour % 12
        return "\(month)/\(day)/\(year) \(onTheDial):\(two(minute)):\(two(second)) \(hour < 12 ? "AM" : "PM")"
    }

    /// `20200702183323`: the date inside a notification id.
    var compact: String {
        "\(year)\(two(month))\(two(day))\(two(hour))\(two(minute))\(two(second))"
    }

    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
