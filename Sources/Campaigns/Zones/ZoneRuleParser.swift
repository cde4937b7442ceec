/// Reads the footer of a time zone file: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRuleParser {
    private var rest: ArraySlice<UInt8>

    /// - Returns: nil: not such a text.
    static func parse(_ text: ArraySlice<UInt8>) -> ZoneRule? {
        var parser = ZoneRuleParser(rest: text)
        guard let rule = parser.rule(), parser.rest.isEmpty else { return nil }
        return rule
    }

    private mutating func rule() -> ZoneRule? {
        guard let name = name(), let west = duration(hours: 24) else { return nil }
        let standard = LocalTimeType(offset: -west, isDaylight: false, abbreviation: name)
        if rest.isEmpty { return ZoneRule(standard: standard, daylight: nil) }
        guard let summer = self.name() else { return nil }
        var offset = standard.offset + 3_600
        if rest.first != UInt8(ascii: ",") {
            guard let west = duration(hours: 24) else { return nil }
            offset = -west
        }
        // POSIX lets the rule out; a file that does says nothing about its years.
        guard take(","), let start = change(), take(","), let end = change() else { return nil }
        let kind = LocalTimeType(offset: offset, isDaylight: true, abbreviation: summer)
        return ZoneRule(standard: standard, daylight: .init(kind: kind, start: start, end: end))
    }

    /// Three letters or more; anything between `<` and `>`.
    private mutating func name() -> String? {
        let isQuoted = take("<")
        let name = rest.prefix {
            switch $0 {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"): isQuoted
            default: false
            }
        }
        rest = rest.dropFirst(name.count)
        guard name.count >= 3, !isQuoted || take(">") else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    private mutating func duration(hours most: Int) -> Int? {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard let hours = number(0...most) else { return nil }
        var seconds = hours * 3_600
        for unit in [60, 1] {
            guard take(":") else { break }
            guard let part = number(0...59) else { return nil }
            seconds += part * unit
        }
        return isNegative ? -seconds : seconds
    }

    private mutating func change() -> ZoneRule.Change? {
        let day: ZoneRule.Change.Day
        if take("M") {
            guard let month = number(1...12), take("."), let week = number(1...5), take("."),
                let weekday = number(0...6)
            else { return nil }
            day = .weekday(month: month, week: week, day: weekday)
        } else if take("J") {
            guard let number = number(1...365) else { return nil }
            day = .julian(number)
        } else {
            guard let number = number(0...365) else { return nil }
            day = .ordinal(number)
        }
        guard take("/") else { return ZoneRule.Change(day: day, time: 7_200) }
        return duration(hours: 167).map { ZoneRule.Change(day: day, time: $0) }
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int? {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...3).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return range.contains(number) ? number : nil
    }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: sign) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
