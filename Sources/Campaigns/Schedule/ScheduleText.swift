/// A schedule as people type it: a cron line or a few plain words, and maybe a zone behind them.
///
/// `0 7 * * 1-5 Europe/Paris`, `@daily UTC`, `daily 07:00`, `weekdays 07:00 Europe/Paris`, `Mon,Thu 09:30`, `1st 08:00`,
/// `1st,15th 08:00,17:00`. Words and names of days in any case.
public struct ScheduleText: Sendable, Equatable {
    public let line: CronLine
    /// The name behind the schedule, not looked up yet; nil: it names none.
    public let zone: String?

    /// - Throws: `CronLineError`.
    public init(parsing text: String) throws(CronLineError) {
        guard text.utf8.count <= CronLine.longest + 65 else {
            throw CronLineError(nil, "it has more than \(CronLine.longest) bytes", hint: nil)
        }
        var words = text.split { $0 == " " || $0 == "\t" }
        if let word = words.first(where: { Self.counting.contains($0.lowercased()) }) {
            throw CronLineError(
                nil, "\(word) says nothing here: a schedule names days and times, and counts no weeks",
                hint:
                    "Write daily 09:00, Mon,Thu 09:00, Mon 09:00 or 1st,15th 09:00; 28th is the last day that every month has. "
                    + "Another rhythm is for cron or systemd, which start fanfare campaign run --key.")
        }
        let isShort = words.count > 1 && words[1].contains(":")
        let size = isShort ? 2 : words.first?.hasPrefix("@") == true ? 1 : 5
        if words.count == size + 1, let last = words.last, Self.isZone(last) {
            zone = String(words.removeLast())
        } else {
            zone = nil
        }
        if isShort {
            guard words.count == 2 else {
                throw CronLineError(
                    nil, "\(words[2].prefix(64)) does not belong there",
                    hint: "Write \(words[0]) \(words[1]), then the zone.")
            }
            line = try CronLine(parsing: Self.cron(days: words[0], times: words[1]))
        } else if words.count == 1, let day = words.first, !day.hasPrefix("@"), Self.days(day) != nil {
            throw CronLineError(nil, "\(day) lacks a time", hint: "Such as \(day) 09:00.")
        } else {
            line = try CronLine(parsing: words.joined(separator: " "))
        }
    }

    /// Words of schedules that count weeks, or days from the end of a month. No part of cron.
    private static let counting: Set = [
        "every", "each", "first", "second", "third", "fourth", "last", "fortnightly", "biweekly",
    ]

    /// A word that is neither a number nor a weekday: six fields would be a line with seconds.
    private static func isZone(_ word: Substring) -> Bool {
        guard let first = word.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20) else {
            return false
        }
        if word.contains("/") { return true }
        do throws(CronLineError) {
            _ = try CronField.weekday.parse(word)
            return false
        } catch {
            return !["L", "W", "LW"].contains(word.uppercased())
        }
    }

    private static func cron(days word: Substring, times: Substring) throws(CronLineError) -> String {
        guard let days = days(word) else {
            throw CronLineError(
                nil, "\(word.prefix(40)) is not known before a time",
                hint: "Write daily, weekdays, weekends, days such as Mon,Thu or Mon-Fri, or dates such as 1st,15th.")
        }
        var minutes: Set<Int> = []
        var hours: [String] = []
        for time in times.split(separator: ",", omittingEmptySubsequences: false) {
            guard let match = time.wholeMatch(of: /([0-9]{1,2}):([0-9]{2})/), let hour = Int(match.1), hour < 24,
                let minute = Int(match.2), minute < 60
            else {
                throw CronLineError(nil, "\(time.prefix(40)) is not a time of day", hint: "Such as 09:30 or 17:00.")
            }
            minutes.insert(minute)
            hours.append("\(hour)")
        }
        guard let minute = minutes.first, minutes.count == 1 else {
            throw CronLineError(
                nil, "times with different minutes are several schedules",
                hint: "Times of one schedule have one minute, such as 09:30,17:30.")
        }
        return "\(minute) \(hours.joined(separator: ",")) \(days)"
    }

    /// Day, month and weekday; nil: no word for days.
    private static func days(_ word: Substring) -> String? {
        switch word.lowercased() {
        case "daily": return "* * *"
        case "weekdays": return "* * 1-5"
        case "weekends": return "* * 6,0"
        default: break
        }
        if word.firstMatch(of: /[0-9]/) != nil {
            var days: [String] = []
            for part in word.split(separator: ",", omittingEmptySubsequences: false) {
                guard let match = part.lowercased().wholeMatch(of: /([0-9]{1,2})(?:st|nd|rd|th)/) else { return nil }
                days.append(String(match.1))
            }
            return "\(days.joined(separator: ",")) * *"
        }
        do throws(CronLineError) {
            guard word != "*" else { return nil }
            _ = try CronField.weekday.parse(word)
            return "* * \(word.lowercased())"
        } catch {
            return nil
        }
    }
}
