/// Numbers and times as people read them.
package enum HumanFormat {
    /// `3 s`, `4 min`, `2 h 5 min`, `3 d 2 h`.
    package static func duration(_ seconds: Double) -> String {
        let whole = Int(max(0, min(seconds, 1e12)))
        switch whole {
        case ..<60: return "\(whole) s"
        case ..<3600: return "\(whole / 60) min"
        case ..<86_400: return "\(whole / 3600) h \(whole % 3600 / 60) min"
        default: return "\(whole / 86_400) d \(whole % 86_400 / 3600) h"
        }
    }

    /// ISO 8601 without the fraction of a second.
    package static func toSeconds(_ time: String) -> String { time.replacing(#/\.[0-9]+/#, with: "") }

    /// `62 µs`, `1.3 ms`, `42 ms`, `1.2 s`, `75 s`.
    package static func moment(_ seconds: Double) -> String {
        guard seconds < 0.0009995 else { return time(milliseconds: seconds * 1e3) }
        return "\(Int((max(0, seconds) * 1e6).rounded())) µs"
    }

    /// `1 message`, `2 messages`.
    package static func count(_ number: some BinaryInteger, _ thing: String) -> String {
        "\(number) \(thing)\(number == 1 ? "" : "s")"
    }

    /// `10,000+ messages`: counted to there, and there are more.
    package static func atLeast(_ number: some BinaryInteger, _ thing: String) -> String {
        "\(grouped(number))+ \(thing)s"
    }

    /// ISO 8601 in UTC, to the second, which is rounded down: `2026-01-02T03:04:05Z`. In the years 1 to 9999.
    package static func time(secondsSince1970 seconds: Double) -> String {
        // Clamped, so that no clock can trap here.
        let whole = seconds.isNaN ? 0 : Int(min(max(seconds.rounded(.down), -62_135_596_800), 253_402_300_799))
        let days = (whole - (whole < 0 ? 86_399 : 0)) / 86_400
        let time = TimeOfDay(secondsSinceMidnight: whole - days * 86_400)
        return "\(CivilDate(daysSince1970: days).text)T\(time.text)Z"
    }

    /// The same to the millisecond, which stands there unless it is 0: `2026-01-02T03:04:05.250Z`.
    package static func exactTime(secondsSince1970 seconds: Double) -> String {
        // Clamped, so that no clock can trap here.
        let clamped = seconds.isNaN ? 0 : min(max(seconds, -62_135_596_800), 253_402_300_799)
        let whole = clamped.rounded(.down)
        let milliseconds = Int(((clamped - whole) * 1000).rounded())
        guard milliseconds < 1000 else { return time(secondsSince1970: whole + 1) }
        let text = time(secondsSince1970: whole)
        return milliseconds == 0 ? text : "\(text.dropLast()).\(milliseconds.digits(3))Z"
    }

    /// Things a second: whole numbers, a slow pace with one decimal: `120`, `0.3`.
    package static func rate(_ perSecond: Double) -> String {
        let tenths = Int((max(0, min(perSecond, 1e12)) * 10).rounded())
        return perSecond >= 10 || tenths % 10 == 0 ? "\((tenths + 5) / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// `1,234,567`
    package static func grouped(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number.magnitude))
        let groups = stride(from: digits.count, to: 0, by: -3).map { String(digits[max(0, $0 - 3)..<$0]) }
        return (number < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
    }

    /// `0.8 ms`, `12 ms`, `1.2 s`, `75 s`
    package static func time(milliseconds: Double) -> String {
        switch milliseconds {
        case ..<10: "\(tenths(milliseconds)) ms"
        case ..<1_000: "\(Int(milliseconds.rounded())) ms"
        case ..<10_000: "\(tenths(milliseconds / 1_000)) s"
        default: "\(Int((milliseconds / 1_000).rounded())) s"
        }
    }

    private static func tenths(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}
