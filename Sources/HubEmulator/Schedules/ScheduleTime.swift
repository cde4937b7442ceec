/// The value of `ServiceBusNotification-ScheduleTime`.
enum ScheduleTime {
    /// Seconds ahead of now a notification can be scheduled at most: 7 days (notification-hubs.md section 3.2).
    static let horizon = 7 * 86_400.0
    /// Seconds ahead the service's own clients ask for at least. Less is taken, and gets a warning.
    static let usualLead = 300.0

    /// `2026-01-02T03:04:05`, which is UTC. A fraction, `Z` and an offset are let pass, as clients write them
    /// (peer_requests.json: `2026-01-02T03:04:05+00:00`).
    ///
    /// - Returns: seconds since 1970; nil: it is no such time.
    static func parse(_ text: String) -> Double? {
        guard
            let match = text.wholeMatch(
                of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,9})?(Z|z|[+-]\d\d:\d\d)?/.asciiOnlyDigits()),
            let year = Int(match.1), let month = Int(match.2), let day = Int(match.3), let hour = Int(match.4),
            let minute = Int(match.5), let second = Int(match.6),
            hour < 24, minute < 60, second < 60,
            let midnight = CivilTime.days(toYear: year, month: month, day: day)
        else { return nil }
        let offset = match.8.flatMap { eastOfUTC($0) } ?? 0
        guard abs(offset) <= 14 * 3_600 else { return nil }
        let whole = midnight * 86_400 + hour * 3_600 + minute * 60 + second - offset
        return Double(whole) + (match.7.flatMap { Double("0" + $0) } ?? 0)
    }

    /// Seconds east of UTC; nil for `Z`.
    private static func eastOfUTC(_ text: Substring) -> Int? {
        guard let hours = Int(text.prefix(3)), let minutes = Int(text.suffix(2)), text.count == 6 else { return nil }
        return hours * 3_600 + (text.first == "-" ? -minutes : minutes) * 60
    }

    /// - Throws: 400 when there is none, it cannot be read or is too far ahead. The texts are ours.
    static func read(_ call: EmulatorRequest, now: Double) throws(ServiceError) -> Double {
        guard let text = call[.scheduleTime] else {
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
