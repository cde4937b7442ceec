import Testing

@testable import Campaigns

@Suite struct OneOffTimeTests {
    private func time(_ text: String, zone: String? = nil) throws -> OneOffTime {
        try OneOffTime(parsing: text, zone: zone, in: TimeZones())
    }

    @Test(arguments: [
        ("2027-03-01T09:00:00+01:00", "2027-03-01T08:00:00Z"), ("2027-03-01T09:00Z", "2027-03-01T09:00:00Z"),
        ("2027-03-01t09:00:59.999z", "2027-03-01T09:00:59Z"), ("2027-03-01 09:00 +0530", "2027-03-01T03:30:00Z"),
        ("2027-03-01T00:30-03", "2027-03-01T03:30:00Z"), ("2027-12-31T23:59-00:01", "2028-01-01T00:00:00Z"),
        ("2027-03-01 09:00 Europe/Berlin", "2027-03-01T08:00:00Z"), ("2028-02-29T00:00 UTC", "2028-02-29T00:00:00Z"),
    ])
    func aTimeWithOffsetOrZoneIsAnInstant(text: String, utc: String) throws {
        #expect(WallTime(seconds: try time(text).instant).stamp() == utc)
        // The zone of a command is for local times.
        if text.contains("+") { #expect(try time(text, zone: "Asia/Tokyo").instant == time(text).instant) }
    }

    @Test func aLocalTimeNeedsAZone() throws {
        #expect(try time("2027-03-01T09:00", zone: "Europe/Berlin") == time("2027-03-01 09:00 Europe/Berlin"))
        let error = #expect(throws: OneOffTimeError.self) { try time("2027-03-01T09:00") }
        #expect(error.map { "\($0)" } == "2027-03-01T09:00 names no time zone")
        #expect(throws: OneOffTimeError.self) { try time("2027-03-01 09:00 Europe/Berlin", zone: "Europe/Paris") }
    }

    @Test func theClocksAreAsked() throws {
        let skipped = try time("2026-03-29 02:30 Europe/Berlin")
        #expect(skipped.moment == .skipped(at: 1_774_746_000) && skipped.instant == 1_774_746_000)
        let twice = try time("2026-10-25 02:30 Europe/Berlin")
        #expect(twice.moment == .repeated([1_792_888_200, 1_792_891_800]) && twice.instant == 1_792_888_200)
        #expect(try time("2026-10-25 02:30+01:00").instant == 1_792_891_800)
    }

    @Test(arguments: [
        ("2027-02-30T09:00Z", "2027-02-30 is not a day of the calendar"),
        ("2027-13-01T09:00Z", "2027-13-01 is not a day"),
        ("1969-12-31T09:00Z", "1969-12-31 is not a day"), ("2027-03-01T24:00Z", "24:00:00 is not a time of day"),
        ("2027-03-01T09:60Z", "09:60:00 is not a time of day"), ("2027-03-01", "2027-03-01 is not a time"),
        ("tomorrow", "tomorrow is not a time"), ("", " is not a time"),
        ("2027-03-01T09:00 CET", "CET is an abbreviation"),
        ("2027-03-01T09:00+25:00", "+25:00 is an offset, not a time zone"),
        ("٢٠٢٧-03-01T09:00Z", "٢٠٢٧-03-01T09:00Z is not a time"),
        ("2027-03-01T09:00 Europe/Berlni", "there is no time zone Europe/Berlni"),
    ])
    func impossibleTimesAreRefused(text: String, why: String) throws {
        let error = try #require(throws: OneOffTimeError.self) { try time(text) }
        #expect("\(error)".hasPrefix(why), "\(error)")
    }
}
