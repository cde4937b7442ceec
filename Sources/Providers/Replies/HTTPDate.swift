import PushModel

/// Dates in HTTP headers: today's form and the two obsolete ones that a recipient must accept (RFC 9110 section 5.6.7).
public enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// - Returns: seconds since 1970-01-01 UTC; nil when the text is not such a date.
    public static func seconds(_ text: String) -> Double? {
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
            let year = year(fields.year), let time = secondsOfDay(fields.time)
        else { return nil }
        let date = CivilDate(year: year, month: month + 1, day: day)
        return Double(date.daysSince1970 * 86_400 + time)
    }

    private static func number(_ digits: Substring, _ range: ClosedRange<Int>) -> Int? {
        guard digits.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let number = Int(digits), range.contains(number)
        else { return nil }
        return number
    }

    /// Two digits mean this century: no server sends dates of the previous one.
    private static func year(_ digits: Substring) -> Int? {
        digits.utf8.count == 2 ? number(digits, 0...99).map { 2000 + $0 } : number(digits, 1970...9999)
    }

    private static func secondsOfDay(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hours = number(parts[0], 0...23), let minutes = number(parts[1], 0...59),
            let seconds = number(parts[2], 0...60)  // 60: a leap second
        else { return nil }
        return hours * 3600 + minutes * 60 + seconds
    }
}
