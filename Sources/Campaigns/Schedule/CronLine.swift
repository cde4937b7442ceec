import PushModel

/// When something happens again and again: five fields as in `crontab(5)` of Debian, whose meaning this follows.
///
/// Minute, hour, day of the month, month or its name, weekday or its name (0 and 7 are Sunday); `*`, lists, ranges, steps; or
/// `@hourly`, `@daily`, `@midnight`, `@weekly`, `@monthly`, `@yearly`, `@annually`.
public struct CronLine: Sendable, Equatable, CustomStringConvertible {
    /// Bytes a line may have.
    static let longest = 256

    /// Five fields with one space between, as they were written.
    public let description: String
    let minutes, hours, days, months, weekdays: FieldSet
    /// Whether minute or hour begins with `*`. Such a line follows the wall clock: it does not run while the clocks skip its
    /// time, and runs twice in the hour that comes twice. Others run once a day for each of their times.
    public let followsWall: Bool
    /// Whether a day matches when one of its two fields does: both are restricted, which means that neither begins with `*`.
    /// Else both have to match, also in `*/2` (the star flag of Vixie cron).
    public let daysAreEither: Bool

    /// - Throws: `CronLineError` for what is no such line, with what to write instead, and for days that never come, such as
    ///   30 February.
    public init(parsing text: String) throws(CronLineError) {
        guard text.utf8.count <= Self.longest else {
            throw CronLineError(nil, "it has more than \(Self.longest) bytes", hint: nil)
        }
        let words = text.split { $0 == " " || $0 == "\t" }
        if let first = words.first, first.hasPrefix("@") {
            guard words.count == 1 else { throw CronLineError(nil, "nothing may follow \(first)", hint: nil) }
            try self.init(fields: Self.nickname(first).split(separator: " "))
        } else {
            try self.init(fields: words)
        }
    }

    private init(fields: [Substring]) throws(CronLineError) {
        guard fields.count == 5 else { throw .wrongCount(fields) }
        minutes = try CronField.minute.parse(fields[0])
        hours = try CronField.hour.parse(fields[1])
        days = try CronField.day.parse(fields[2])
        months = try CronField.month.parse(fields[3])
        weekdays = try CronField.weekday.parse(fields[4])
        followsWall = fields[0].hasPrefix("*") || fields[1].hasPrefix("*")
        daysAreEither = !fields[2].hasPrefix("*") && !fields[4].hasPrefix("*")
        description = fields.joined(separator: " ")
        if !daysAreEither, !hasDay { throw .never(days: days, months: months) }
    }

    /// Whether one of the months has one of the days, in leap years at least. Every weekday comes there some year.
    private var hasDay: Bool {
        months.numbers.contains { month in
            days.numbers.contains { CivilDate(year: 2000, month: month, day: $0).isInCalendar }
        }
    }

    private static func nickname(_ word: Substring) throws(CronLineError) -> String {
        switch word.lowercased() {
        case "@hourly": return "0 * * * *"
        case "@daily", "@midnight": return "0 0 * * *"
        case "@weekly": return "0 0 * * 0"
        case "@monthly": return "0 0 1 * *"
        case "@yearly", "@annually": return "0 0 1 1 *"
        case "@reboot":
            throw CronLineError(
                nil, "@reboot is not a time: a worker that restarts would repeat the campaign",
                hint: "Start a run with fanfare campaign run, and a key.")
        default:
            let known = ["@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"]
            let near = DidYouMean.nearest(to: String(word), in: known).map { "Did you mean \($0)?" }
            throw CronLineError(
                nil, "\(word.prefix(40)) is not known", hint: near ?? "There are \(known.joined(separator: ", ")).")
        }
    }

    /// Whether the line names a day, whatever the time.
    func matches(_ date: CivilDate, daysSince1970 number: Int) -> Bool {
        guard months.contains(date.month) else { return false }
        let day = days.contains(date.day)
        let weekday = weekdays.contains(CivilDate.weekday(number))
        return daysAreEither ? day || weekday : day && weekday
    }
}

/// Why a text is no schedule.
public struct CronLineError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `minute`, `hour`, `day`, `month` or `weekday`; nil: the line as a whole.
    public let field: String?
    public let why: String
    /// What to write instead.
    public let hint: String?

    init(_ field: CronField?, _ why: String, hint: String?) {
        (self.field, self.why, self.hint) = (field?.rawValue, why, hint)
    }

    public var description: String { field.map { "\($0): \(why)" } ?? why }

    static func wrongCount(_ fields: [Substring]) -> Self {
        switch fields.count {
        case 6, 7:
            CronLineError(
                nil, "it has \(fields.count) fields, and there are no seconds and no years here",
                hint: "Write minute, hour, day, month, weekday: \(fields.dropFirst().prefix(5).joined(separator: " "))")
        default:
            CronLineError(
                nil, "it has \(fields.count == 1 ? "one field" : "\(fields.count) fields") of five",
                hint: "Write minute, hour, day, month, weekday: 0 9 * * 1-5")
        }
    }

    static func never(days: FieldSet, months: FieldSet) -> Self {
        let names = months.numbers.map { CronWords.months[$0 - 1] }
        return CronLineError(
            nil, "\(CronWords.list(names, or: true)) never has a day \(days.first ?? 0)",
            hint: "28 is the last day that every month has.")
    }
}
