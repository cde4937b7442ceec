/// The expiry of an installation, a registration or a template: ISO 8601 such as `2027-01-15T08:00:00Z`, with up to
/// nine digits of a second and an optional offset; without an offset in UTC.
public struct Expiry: Sendable, Equatable {
    /// Since 1970; infinite in the year 9999, which means never.
    public let seconds: Double

    /// nil: not such a date.
    public init?(_ text: String) {
        var rest = Array(text.utf8.prefix(40))[...]
        guard text.utf8.count <= 40, let year = Self.number(&rest, 4), Self.take("-", &rest),
            let month = Self.number(&rest, 2), (1...12).contains(month), Self.take("-", &rest),
            let day = Self.number(&rest, 2)
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.isInCalendar else { return nil }
        var second = 0.0
        if Self.take("T", &rest) || Self.take(" ", &rest) {
            guard let time = Self.time(&rest) else { return nil }
            second = time
        }
        guard let offset = Self.offset(&rest), rest.isEmpty else { return nil }
        let whole = date.daysSince1970 * 86_400 - offset
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
}
