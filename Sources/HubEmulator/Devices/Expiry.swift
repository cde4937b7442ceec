/// The instant at which something ends, out of the text an app or a registration gives: ISO 8601, as
/// `2027-01-15T08:00:00Z`, with up to nine digits of a second, with an offset, or with neither and then in UTC.
struct Expiry: Sendable, Equatable {
    /// Since 1970; infinite in the year 9999, which stands for never.
    let seconds: Double

    /// nil: the text is no such date.
    init?(_ text: String) {
        var rest = Array(text.utf8.prefix(40))[...]
        guard text.utf8.count <= 40, let year = Self.number(&rest, 4), Self.take("-", &rest),
            let month = Self.number(&rest, 2), (1...12).contains(month), Self.take("-", &rest),
            let day = Self.number(&rest, 2), (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
        var second = 0.0
        if Self.take("T", &rest) || Self.take(" ", &rest) {
            guard let time = Self.time(&rest) else { return nil }
            second = time
        }
        guard let offset = Self.offset(&rest), rest.isEmpty else { return nil }
        let whole = Self.daysSince1970(year, month, day) * 86_400 - offset
        seconds = year == 9_999 ? .infinity : Double(whole) + second
    }

    private static func time(_ rest: inout ArraySlice<UInt8>) -> Double? {
        guard let hour = number(&rest, 2), hour < 24, take(":", &rest), let minute = number(&rest, 2), minute < 60
        else { return nil }
        var second = 0.0
        if take(":", &rest) {
            guard let whole = number(&rest, 2), whole < 60 else { return nil }
            second = Double(whole)
            if take(".", &rest) {
                let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
                guard (1...9).contains(digits.count),
                    let fraction = Double("0." + String(decoding: digits, as: UTF8.self))
                else { return nil }
                rest = rest.dropFirst(digits.count)
                second += fraction
            }
        }
        return Double(hour * 3_600 + minute * 60) + second
    }

    /// Seconds east of Greenwich.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int? {
        if rest.isEmpty || take("Z", &rest) { return 0 }
        let sign = take("+", &rest) ? 1 : take("-", &rest) ? -1 : 0
        guard sign != 0, let hours = number(&rest, 2), hours < 15 else { return nil }
        _ = take(":", &rest)
        guard let minutes = number(&rest, 2), minutes < 60 else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }

    private static func take(_ mark: Character, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == mark.asciiValue else { return false }
        rest.removeFirst()
        return true
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ digits: Int) -> Int? {
        let taken = rest.prefix(digits)
        guard taken.count == digits, taken.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return nil
        }
        rest = rest.dropFirst(digits)
        return taken.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// The reverse of `CivilTime`: years start in March, so that the leap day is the last of its year.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
