import PushModel
import Testing

@testable import Campaigns

@Suite struct CronNextTests {
    private let zones = TimeZones()

    private func utc(_ text: String) throws -> Int { try OneOffTime(parsing: "\(text)Z", zone: nil, in: zones).instant }

    /// The next times as the zone's clocks show them, with their offset.
    private func next(_ count: Int, _ line: String, _ zone: String, after: String) throws -> [String] {
        let file = try zones.named(zone)
        return try CronLine(parsing: line).occurrences(
            count, after: OneOffTime(parsing: after, zone: zone, in: zones).instant, in: file
        )
        .map { WallTime(seconds: $0.wall).stamp(offset: $0.wall - $0.instant) }
    }

    @Test(arguments: [
        // Skipped: at the first instant after.
        (
            "30 2 * * *", "Europe/Berlin", "2026-03-28T12:00",
            ["2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"]
        ),
        // Several skipped ones, and the one that names that instant itself: once.
        (
            "0,30 2-3 * * *", "Europe/Berlin", "2026-03-28T12:00",
            ["2026-03-29T03:00:00+02:00", "2026-03-29T03:30:00+02:00", "2026-03-30T02:00:00+02:00"]
        ),
        // Repeated: once, the first time.
        (
            "30 2 * * *", "Europe/Berlin", "2026-10-24T12:00",
            ["2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"]
        ),
        ("30 2 * * *", "Europe/Berlin", "2026-10-25T02:10+02:00", ["2026-10-25T02:30:00+02:00"]),
        // Between the two hours, and in the second one: it has been.
        ("30 2 * * *", "Europe/Berlin", "2026-10-25T02:30+02:00", ["2026-10-26T02:30:00+01:00"]),
        ("30 2 * * *", "Europe/Berlin", "2026-10-25T02:10+01:00", ["2026-10-26T02:30:00+01:00"]),
        ("0 3 * * *", "Europe/Berlin", "2026-10-25T02:59+01:00", ["2026-10-25T03:00:00+01:00"]),
        // With a star: as the wall shows it.
        (
            "*/30 2 * * *", "Europe/Berlin", "2026-10-25T01:00",
            [
                "2026-10-25T02:00:00+02:00", "2026-10-25T02:30:00+02:00", "2026-10-25T02:00:00+01:00",
                "2026-10-25T02:30:00+01:00", "2026-10-26T02:00:00+01:00",
            ]
        ),
        ("*/30 2 * * *", "Europe/Berlin", "2026-03-28T12:00", ["2026-03-30T02:00:00+02:00"]),
        (
            "30 * * * *", "Europe/Berlin", "2026-03-29T01:00",
            ["2026-03-29T01:30:00+01:00", "2026-03-29T03:30:00+02:00"]
        ),
        // Half an hour.
        ("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00", ["2026-10-04T02:30:00+11:00"]),
        (
            "45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00",
            ["2026-04-05T01:45:00+11:00", "2026-04-06T01:45:00+10:30"]
        ),
        // A day that is skipped: noon of 30 December 2011 is the beginning of the 31st.
        ("0 12 * * *", "Pacific/Apia", "2011-12-29T13:00", ["2011-12-31T00:00:00+14:00", "2011-12-31T12:00:00+14:00"]),
        ("0 */12 * * *", "Pacific/Apia", "2011-12-29T13:00", ["2011-12-31T00:00:00+14:00"]),
        // Clocks go back for Ramadan, and forward after it.
        (
            "30 2 * * *", "Africa/Casablanca", "2026-02-14T12:00",
            ["2026-02-15T02:30:00+01:00", "2026-02-16T02:30:00+00:00"]
        ),
        ("30 2 * * *", "Africa/Casablanca", "2026-03-21T12:00", ["2026-03-22T03:00:00+01:00"]),
        ("30 1 * * *", "Europe/Dublin", "2026-03-28T12:00", ["2026-03-29T02:00:00+01:00"]),
        (
            "30 1 * * *", "Europe/Dublin", "2026-10-24T12:00",
            ["2026-10-25T01:30:00+01:00", "2026-10-26T01:30:00+00:00"]
        ),
        (
            "0 0 * * *", "America/Havana", "2026-03-07T12:00",
            ["2026-03-08T01:00:00-04:00", "2026-03-09T00:00:00-04:00"]
        ),
        ("0 9 * * *", "Pacific/Kiritimati", "2026-01-01T09:00", ["2026-01-02T09:00:00+14:00"]),
        // By the rule after the last change of the file.
        ("30 2 * * *", "Europe/Berlin", "2391-03-30T12:00", ["2391-03-31T03:00:00+02:00"]),
    ])
    func clocksThatAreChangedDoWhatTheReferenceSays(line: String, zone: String, after: String, times: [String]) throws {
        #expect(try next(times.count, line, zone, after: after) == times)
    }

    @Test func aSkippedTimeIsSaid() throws {
        let line = try CronLine(parsing: "30 2 * * *")
        let next = line.occurrence(after: try utc("2026-03-28T12:00"), in: try zones.named("Europe/Berlin"))
        #expect(next?.skipped.map { "\(WallTime(seconds: $0))" } == "2026-03-29 02:30")
    }

    @Test(arguments: [
        ("0 0 13 * 5", ["2026-02-06", "2026-02-13", "2026-02-20", "2026-02-27", "2026-03-06", "2026-03-13"]),
        ("0 0 */2 * 1", ["2026-02-09", "2026-02-23", "2026-03-09", "2026-03-23", "2026-04-13"]),
        ("0 0 31 * *", ["2026-03-31", "2026-05-31", "2026-07-31"]), ("0 0 29 2 *", ["2028-02-29", "2032-02-29"]),
        ("0 0 30 2 1", ["2026-02-02", "2026-02-09", "2026-02-16", "2026-02-23", "2027-02-01"]),
    ])
    func daysAreFound(line: String, days: [String]) throws {
        let found = try CronLine(parsing: line).occurrences(
            days.count, after: utc("2026-02-01T12:00"), in: zones.named("UTC"))
        #expect(found.map { WallTime(seconds: $0.wall).date } == days)
    }

    /// 2100 is no leap year.
    @Test func eightYearsAreEnoughForALeapDay() throws {
        let next = try CronLine(parsing: "0 0 29 2 *").occurrence(
            after: utc("2096-02-29T00:00"), in: zones.named("Europe/Berlin"))
        #expect(next.map { WallTime(seconds: $0.wall).date } == "2104-02-29")
    }

    /// 29 February that is a Sunday (or Friday, by the star flag): 2060 is the next one after 2036.
    @Test func theSearchEndsAfterEightYears() throws {
        let line = try CronLine(parsing: "0 0 29 2 */5")
        let zone = try zones.named("Europe/Berlin")
        #expect(line.next(after: try utc("2036-03-01T00:00"), in: zone) == nil)
        #expect(line.next(after: try utc("2055-03-01T00:00"), in: zone) != nil)
        let clock = ContinuousClock()
        let start = try utc("2036-03-01T00:00")
        let spent = clock.measure {
            for _ in 0..<100 { #expect(line.next(after: start, in: zone) == nil) }
        }
        #expect(spent < .seconds(2), "one search: \(spent / 100)")
    }

    /// Minute by minute, what the reference says, against the search that jumps.
    @Test(arguments: ["Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca", "America/Havana", "Pacific/Apia"])
    func theSearchFindsWhatMinuteByMinuteIsThere(name: String) throws {
        let zone = try zones.named(name)
        var random = SeededRandom(seed: 8)
        let start = try utc(name == "Pacific/Apia" ? "2011-12-01T00:00" : "2026-02-01T00:00")
        for change in [0, 1, 2] {
            // The change of the clocks, and two days around it.
            var period = zone.period(at: start)
            for _ in 0..<change { period = zone.period(at: period.end) }
            let from = period.end - 86_400
            for _ in 0..<40 {
                let minute = ["*", "*/7", "0,30", "15", "10-50/20"].randomElement(using: &random) ?? "*"
                let hour = ["*", "*/2", "0-3", "1", "2", "0", "23"].randomElement(using: &random) ?? "*"
                let line = try CronLine(parsing: "\(minute) \(hour) * * *")
                var expected: [Int] = []
                var instant = from + 60
                while instant < from + 2 * 86_400 {
                    if Self.runs(line, at: instant, in: zone) { expected.append(instant) }
                    instant += 60
                }
                let found = line.occurrences(expected.count + 1, after: from, in: zone).map(\.instant)
                #expect(Array(found.prefix(expected.count)) == expected, "\(line) \(name) \(change)")
                if found.count > expected.count { #expect(found[expected.count] >= from + 2 * 86_400) }
            }
        }
    }

    private static func runs(_ line: CronLine, at instant: Int, in zone: TimeZoneFile) -> Bool {
        func names(_ wall: Int) -> Bool { line.firstMatch(from: wall, before: wall + 60) == wall }
        let wall = zone.wall(at: instant)
        if line.followsWall { return names(wall) }
        if names(wall), zone.moment(ofWall: wall).instant == instant { return true }
        // The first minute after a jump: does the line name one of those that the clocks left out?
        return stride(from: zone.wall(at: instant - 60) + 60, to: wall, by: 60).contains(where: names)
    }
}
