import Testing

@testable import Campaigns

/// Days on which the clocks are changed, by the rules of this machine.
@Suite struct WallMomentTests {
    private let zones = TimeZones()

    private func utc(_ text: String) throws -> Int { try OneOffTime(parsing: "\(text)Z", zone: nil, in: zones).instant }

    private func moment(_ wall: String, _ zone: String) throws -> WallMoment {
        try zones.named(zone).moment(ofWall: utc(wall))
    }

    @Test(arguments: [
        ("Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:00"),
        ("Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:30"),
        // The whole of 30 December.
        ("Pacific/Apia", "2011-12-30T00:00", "2011-12-30T10:00"),
        ("Pacific/Apia", "2011-12-30T23:59", "2011-12-30T10:00"),
        ("Pacific/Kiritimati", "1994-12-31T12:00", "1994-12-31T10:00"),
        // Summer time ends for Ramadan and comes back: a day that the file lists.
        ("Africa/Casablanca", "2026-03-22T02:30", "2026-03-22T02:00"),
        ("Europe/Dublin", "2026-03-29T01:30", "2026-03-29T01:00"),
        ("America/Havana", "2026-03-08T00:00", "2026-03-08T05:00"),
        // After the last change of every file.
        ("Europe/Berlin", "2391-03-31T02:00", "2391-03-31T01:00"),
    ])
    func aSkippedTimeLeadsToTheFirstInstantAfter(zone: String, wall: String, after: String) throws {
        #expect(try moment(wall, zone) == .skipped(at: utc(after)))
        #expect(try moment(wall, zone).instant == utc(after))
    }

    @Test(arguments: [
        ("Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30", "2026-10-25T01:30"),
        ("Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45", "2026-04-04T15:15"),
        ("Africa/Casablanca", "2026-02-15T02:30", "2026-02-15T01:30", "2026-02-15T02:30"),
        ("Europe/Dublin", "2026-10-25T01:30", "2026-10-25T00:30", "2026-10-25T01:30"),
        ("Europe/Berlin", "2391-10-27T02:00", "2391-10-27T00:00", "2391-10-27T01:00"),
    ])
    func aRepeatedTimeHasTwoInstantsOfWhichTheFirstCounts(
        zone: String, wall: String, first: String, second: String
    ) throws {
        #expect(try moment(wall, zone) == .repeated([utc(first), utc(second)]))
        #expect(try moment(wall, zone).instant == utc(first))
    }

    @Test(arguments: [
        ("Europe/Berlin", "2026-03-29T01:59:59", "2026-03-29T00:59:59"),
        ("Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00"),
        ("Pacific/Apia", "2011-12-29T23:59:59", "2011-12-30T09:59:59"),
        ("Pacific/Apia", "2011-12-31T00:00", "2011-12-30T10:00"),
        ("Pacific/Kiritimati", "2026-06-01T09:00", "2026-05-31T19:00"),
        ("UTC", "2026-06-01T09:00", "2026-06-01T09:00"),
    ])
    func othersHaveOne(zone: String, wall: String, instant: String) throws {
        #expect(try moment(wall, zone) == .once(utc(instant)))
    }

    /// In Dublin it is winter time that the file calls daylight saving, with a negative offset.
    @Test func negativeDaylightTimeIsRead() throws {
        let kind = try zones.named("Europe/Dublin").period(at: utc("2045-01-15T12:00")).kind
        #expect(kind == LocalTimeType(offset: 0, isDaylight: true, abbreviation: "GMT"))
    }
}
