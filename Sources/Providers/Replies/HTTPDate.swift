import PushModel

/// Dates in HTTP headers: today's form and the two obsolete ones that a recipient must accept (RFC 9110 section 5.6.7).
public enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static let fiftyYears = 50 * 365.2425 * 86_400

    /// - Returns: seconds since 1970-01-01 UTC; nil when the text is not such a date.
    public static func seconds(_ text: String) -> Double? { seconds(text, century: 2000) }

    /// The same for a date that may have passed long ago.
    ///
    /// - Parameter now: seconds since 1970. A year of two digits that would be more than 50 years after it is one of the
    ///   previous century.
    static func seconds(_ text: String, now: Double) -> Double? {
        guard let date = seconds(text) else { return nil }
        return date - now > fiftyYears ? seconds(text, century: 1900) : date
    }

    /// - Parameter century: that of a year of two digits.
    private static func seconds(_ text: String, century: Int) -> Double? {
        var words = text.lowercased().split { " ,-".contains($0) }
        guard !words.isEmpty else { return nil }
        words.removeFirst()  // the day of the week is redundant
        // `Thu, 01 Jan 2026 00:00:30 GMT`, `Thursday, 01-Jan-26 00:00:30 GMT`, `Thu Jan  1 00:00:30 2026`
        let fields: (day: Substring, month: Substring, year: Substring, time: Substring)
        switch words.count {
        case 5 where words[4] == "gmt": fields = (words[0], words[1], words[2], words[3])
        case 4: fields = (words[1], words[0], words[3], words[2])
        default: return nil
        }
        guard let day = number(fields.day, 1...31), let month = months.firstIndex(of: String(fields.month)),
            let year = year(fields.year, century), let time = secondsOfDay(fields.time)
        else { return nil }
        let date = CivilDate(year: year, month: month + 1, day: day)
        return Double(date.daysSince1970 * 86_400 + time)
    }

    private static func number(_ digits: Substring, _ range: ClosedRange<Int>) -> Int? {
        guard digits.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let number = Int(digits), range.contains(number)
        else { return nil }
        return number
    }

    private static func year(_ digits: Substring, _ century: Int) -> Int? {
        digits.utf8.count == 2 ? number(digits, 0...99).map { century + $0 } : number(digits, 1970...9999)
    }

    private static func secondsOfDay(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hours = number(parts[0], 0...23), let minutes = number(parts[1], 0...59),
            let seconds = number(parts[2], 0...60)  // 60: a leap second
        else { return nil }
        return hours * 3600 + minutes * 60 + seconds
    }
}
