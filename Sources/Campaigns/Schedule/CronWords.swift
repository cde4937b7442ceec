/// A cron line in words, without its zone: `at 09:00 on Monday to Friday`. Pure.
public enum CronWords {
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    /// Times of a day that are listed one by one.
    private static let fewTimes = 6

    /// Every field of the line is in the words: two lines with the same words run at the same times, but for the hours that
    /// the clocks skip or repeat.
    public static func words(_ line: CronLine) -> String {
        [time(line), day(line), month(line)].compactMap { $0 }.joined(separator: " ")
    }

    /// `a`, `a and b`, `a, b and c`.
    static func list(_ words: [String], or isChoice: Bool = false) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + (isChoice ? " or " : " and ") + last
    }

    private static func time(_ line: CronLine) -> String {
        let minutes = line.minutes.numbers
        let hours = line.hours.numbers
        if minutes.count * hours.count <= fewTimes {
            return "at " + list(hours.flatMap { hour in minutes.map { clock(hour, $0) } })
        }
        let isEveryHour = hours.count == 24
        if minutes.count == 60 || step(minutes, of: 60) != nil {
            let often = minutes.count == 60 ? "every minute" : "every \(step(minutes, of: 60) ?? 0) minutes"
            if isEveryHour { return often }
            if let first = hours.first, let last = hours.last, last - first == hours.count - 1 {
                return "\(often) from \(clock(first, 0)) to \(clock(last, minutes.last ?? 0))"
            }
            return "\(often) in \(hourWords(hours))"
        }
        let past = "at \(minutes.count == 1 ? "minute" : "minutes") \(list(runs(minutes).map { run($0) { "\($0)" } }))"
        return past + (isEveryHour ? " of every hour" : " of \(hourWords(hours))")
    }

    private static func hourWords(_ hours: [Int]) -> String {
        if let step = step(hours, of: 24) { return "every \(ordinal(step)) hour from midnight" }
        return "\(hours.count == 1 ? "hour" : "hours") \(list(runs(hours).map { run($0) { two($0) } }))"
    }

    /// `on Monday to Friday`; nil: every day, which the other words already mean.
    static func day(_ line: CronLine) -> String? {
        let isEveryDay = line.days.count == 31
        let isEveryWeekday = line.weekdays.count == 7
        let isEveryMinute = line.minutes.count * line.hours.count > fewTimes && line.hours.count == 24
        let days = "the " + list(runs(line.days.numbers).map { run($0, ordinal) }) + " of the month"
        // Monday first, as weeks are read.
        let names = runs(line.weekdays.numbers.map { ($0 + 6) % 7 }.sorted()).map { run($0) { weekdays[$0] } }
        switch (isEveryDay, isEveryWeekday) {
        case (true, true): return isEveryMinute ? nil : "every day"
        case (true, false): return line.daysAreEither ? "every day" : "on \(list(names))"
        case (false, true): return line.daysAreEither ? "every day" : "on \(days)"
        case (false, false) where line.daysAreEither: return "on \(days), and on every \(list(names))"
        case (false, false): return "on \(days), if that is a \(list(names, or: true))"
        }
    }

    private static func month(_ line: CronLine) -> String? {
        guard line.months.count < 12 else { return nil }
        return "in " + list(runs(line.months.numbers).map { run($0) { months[$0 - 1] } })
    }

    /// The distance of numbers that begin with 0, are equally far apart, and go on so in the next hour or day.
    private static func step(_ numbers: [Int], of size: Int) -> Int? {
        guard numbers.count > 1, numbers.count < size, size % numbers.count == 0 else { return nil }
        let step = size / numbers.count
        return numbers.enumerated().allSatisfy { $0.element == $0.offset * step } ? step : nil
    }

    /// Neighbours together: three or more as one range.
    private static func runs(_ numbers: [Int]) -> [ClosedRange<Int>] {
        var runs: [ClosedRange<Int>] = []
        for number in numbers {
            if let last = runs.last, last.upperBound == number - 1 {
                runs[runs.count - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
        return runs.flatMap { $0.count == 2 ? [$0.lowerBound...$0.lowerBound, $0.upperBound...$0.upperBound] : [$0] }
    }

    private static func run(_ range: ClosedRange<Int>, _ word: (Int) -> String) -> String {
        range.count == 1 ? word(range.lowerBound) : "\(word(range.lowerBound)) to \(word(range.upperBound))"
    }

    private static func ordinal(_ number: Int) -> String {
        switch (number % 10, number % 100) {
        case (_, 11...13): "\(number)th"
        case (1, _): "\(number)st"
        case (2, _): "\(number)nd"
        case (3, _): "\(number)rd"
        default: "\(number)th"
        }
    }

    private static func clock(_ hour: Int, _ minute: Int) -> String { "\(two(hour)):\(two(minute))" }
    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension CronLine {
    /// In words, without the zone: `at 09:00 on Monday to Friday`. See `CronWords`.
    public var words: String { CronWords.words(self) }
}
