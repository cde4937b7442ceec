import PushModel

/// A time that comes once: RFC 3339 with an offset (`2027-03-01T09:00:00+01:00`), or a local time with a zone, behind it or
/// given apart (`2027-03-01 09:00 Europe/Berlin`). Seconds may be left out.
///
/// `InstantArgument` leaves such texts to PostgreSQL. Here no database is asked, and a time that the clocks skip is seen.
public struct OneOffTime: Sendable, Equatable {
    /// Seconds since 1970; a fraction is cut off.
    public let instant: Int
    /// What the clocks do with the local time; nil: an offset was given.
    public let moment: WallMoment?
    /// The zone of the local time; nil: an offset was given.
    public let zone: String?

    /// - Parameters:
    ///   - zone: where a local time is meant that names no zone itself. It says nothing about a time with an offset.
    /// - Throws: `OneOffTimeError`; for a local time without a zone too, because none is guessed.
    public init(parsing text: String, zone given: String?, in zones: TimeZones) throws(OneOffTimeError) {
        guard text.utf8.count <= 128,
            let match = text.wholeMatch(
                of: /\s*(\d{4}-\d\d-\d\d)(?:[Tt]|\s+)(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?\s*(.*)/.asciiOnlyDigits())
        else {
            throw .text("\(text.prefix(60)) is not a time", hint: Self.forms)
        }
        let wall = try Self.wall(match.1, hour: match.2, minute: match.3, second: match.4 ?? "00")
        let rest = match.5.split(separator: " ").joined(separator: " ")
        if let offset = Self.offset(rest) {
            (instant, moment, self.zone) = (wall - offset, nil, nil)
            return
        }
        guard let name = rest.isEmpty ? given : rest else {
            throw .text("\(text.prefix(60)) names no time zone", hint: Self.forms)
        }
        if let given, !rest.isEmpty, given != rest {
            throw .text("two zones are given: \(rest.prefix(64)) and \(given.prefix(64))", hint: "Give one.")
        }
        do throws(TimeZoneError) {
            let moment = try zones.named(name).moment(ofWall: wall)
            (instant, self.moment, self.zone) = (moment.instant, moment, name)
        } catch {
            throw .zone(error)
        }
    }

    private static let forms =
        #"Such as 2027-03-01T07:00Z, 2027-03-01T07:00+01:00 or "2027-03-01 07:00 Europe/Paris"."#

    private static func wall(
        _ day: Substring, hour: Substring, minute: Substring, second: Substring
    ) throws(OneOffTimeError) -> Int {
        let parts = day.split(separator: "-").compactMap { Int($0) }
        let time = [hour, minute, second].compactMap { Int($0) }
        let date = CivilDate(year: parts[0], month: parts[1], day: parts[2])
        guard date.year >= 1970, date.isInCalendar else {
            throw .text("\(day) is not a day of the calendar", hint: date.year < 1970 ? "Years begin with 1970." : nil)
        }
        guard time[0] < 24, time[1] < 60, time[2] < 60 else {
            throw .text("\(hour):\(minute):\(second) is not a time of day", hint: "From 00:00 to 23:59:59.")
        }
        return date.daysSince1970 * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2]
    }

    /// Seconds east of UTC; nil: not an offset.
    private static func offset(_ text: String) -> Int? {
        if text == "Z" || text == "z" { return 0 }
        guard let match = text.wholeMatch(of: /([+-])(\d\d)(?::?(\d\d))?/.asciiOnlyDigits()), let hours = Int(match.2),
            let minutes = Int(match.3 ?? "00"), hours < 16, minutes < 60  // PostgreSQL takes no more either
        else { return nil }
        return (hours * 60 + minutes) * (match.1 == "-" ? -60 : 60)
    }
}

/// Why a text is no time.
public enum OneOffTimeError: Error, Sendable, Equatable, CustomStringConvertible {
    case text(_ why: String, hint: String?)
    case zone(TimeZoneError)

    public var description: String {
        switch self {
        case .text(let why, _): why
        case .zone(let error): "\(error)"
        }
    }

    /// What to write instead.
    public var hint: String? {
        switch self {
        case .text(_, let hint): hint
        case .zone(let error): error.hint
        }
    }
}
