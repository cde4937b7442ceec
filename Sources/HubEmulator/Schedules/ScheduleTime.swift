import PushModel

/// The value of `ServiceBusNotification-ScheduleTime`.
enum ScheduleTime {
    /// Seconds a notification can be scheduled ahead: 7 days (docs/wire/notification-hubs.md, "Scheduled sends").
    static let horizon = 7 * 86_400.0
    /// The least seconds ahead that the service's clients demand. Less is allowed, with a warning.
    static let usualLead = 300.0

    /// `2026-01-02T03:04:05` in UTC. Accepts a fraction, `Z` and an offset, as clients write them (such as
    /// `2026-01-02T03:04:05+00:00`).
    ///
    /// - Returns: seconds since 1970; nil: not such a time.
    static func parse(_ text: String) -> Double? {
        guard
            let match = text.wholeMatch(
                of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,9})?(Z|z|[+-]\d\d:\d\d)?/.asciiOnlyDigits()),
            let year = Int(match.1), let month = Int(match.2), let day = Int(match.3), let hour = Int(match.4),
            let minute = Int(match.5), let second = Int(match.6),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard year >= 1970, date.isInCalendar else { return nil }
        let offset = match.8.flatMap { eastOfUTC($0) } ?? 0
        guard abs(offset) <= 14 * 3_600 else { return nil }
        let whole = date.daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + second - offset
        return Double(whole) + (match.7.flatMap { Double("0" + $0) } ?? 0)
    }

    /// Seconds east of UTC; nil for `Z`.
    private static func eastOfUTC(_ text: Substring) -> Int? {
        guard let hours = Int(text.prefix(3)), let minutes = Int(text.suffix(2)), text.count == 6 else { return nil }
        return hours * 3_600 + (text.first == "-" ? -minutes : minutes) * 60
    }

    /// - Throws: 400 when the header is missing, invalid or too far ahead. The texts are ours.
    static func read(_ request: EmulatorRequest, now: Double) throws(ServiceError) -> Double {
        guard let text = request[.scheduleTime] else {
            throw .badRequest("A scheduled send needs the header ServiceBusNotification-ScheduleTime.")
        }
        guard let time = parse(text) else {
            throw .badRequest(
                "The HTTP header \"ServiceBusNotification-ScheduleTime\" has an invalid value: \"\(text.prefix(60))\". "
                    + "It is written yyyy-MM-ddTHH:mm:ss, in UTC.")
        }
        guard time - now <= horizon else {
            throw .badRequest("The scheduled time is more than 7 days ahead.")
        }
        return time
    }
}
