import Testing

@testable import Campaigns

@Suite struct SchedulePreviewTests {
    private let zones = TimeZones()

    private func preview(_ line: String, _ zone: String, after: String, count: Int = 3) throws -> SchedulePreview {
        SchedulePreview(
            try CronLine(parsing: line), zone: zone, rules: try zones.named(zone),
            after: try OneOffTime(parsing: after, zone: zone, in: zones).instant, count: count)
    }

    @Test func theNextTimesAreShownInTheZoneAndInUTC() throws {
        let shown = try preview("30 2 * * *", "Europe/Berlin", after: "2026-03-28T02:30")
        #expect(shown.words == "at 02:30 every day, Europe/Berlin")
        #expect(
            shown.times.map(\.shown) == [
                "Sun 2026-03-29 03:00 +02:00", "Mon 2026-03-30 02:30 +02:00", "Tue 2026-03-31 02:30 +02:00",
            ])
        #expect(shown.times.map(\.utc) == ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z"])
        #expect(shown.times.map(\.local).first == "2026-03-29T03:00:00+02:00")
        #expect(shown.times.map(\.skipped) == ["2026-03-29 02:30", nil, nil])
        #expect(shown.times.map(\.kind.abbreviation) == ["CEST", "CEST", "CEST"])
    }

    @Test(arguments: [("Etc/GMT+1", "UTC-1"), ("Etc/GMT-12", "UTC+12"), ("Etc/GMT", nil), ("UTC", nil)])
    func aZoneWhoseSignIsTurnedRoundIsRemarkedOn(zone: String, meant: String?) throws {
        let remark = meant.map { "The sign of \(zone) is turned round: it is \($0), all year." }
        #expect(try preview("0 9 * * 1", zone, after: "2026-01-01T00:00").remarks == [remark].compactMap { $0 })
    }

    @Test(arguments: [
        (
            "0 0 13 * 5",
            "Both day fields are set, and one of them is enough: it runs on the 13th of the month, and on every Friday."
        ),
        ("0 0 1-31 * 5", "Both day fields are set, and one of them is enough: it runs every day."),
        ("0 0 */2 * 1", "Both day fields are set, and one begins with *: a day has to match both."),
        ("0 0 13 * *", nil), ("0 0 * * 5", nil), ("0 0 */1 * 5", nil), ("* * * * *", nil),
    ])
    func bothDayFieldsAreRemarkedOn(line: String, remark: String?) throws {
        #expect(try preview(line, "UTC", after: "2026-01-01T00:00").remarks == [remark].compactMap { $0 })
    }

    @Test(arguments: [
        (
            "30 2 * * *", "Europe/Berlin",
            [
                "On 2026-03-29 the clocks in Europe/Berlin are set forward from 02:00 to 03:00: 02:30 is skipped, and it runs at 03:00.",
                "On 2026-10-25 the clocks in Europe/Berlin are set back from 03:00 to 02:00: 02:30 comes twice, and it runs the first time.",
            ]
        ),
        (
            "*/30 2 * * *", "Europe/Berlin",
            [
                "On 2026-03-29 the clocks in Europe/Berlin are set forward from 02:00 to 03:00: it does not run in between.",
                "On 2026-10-25 the clocks in Europe/Berlin are set back from 03:00 to 02:00: it runs both times at 02:00.",
            ]
        ),
        // None of its times is concerned: the next change alone.
        (
            "0 9 * * 1-5", "Europe/Berlin",
            [
                "On 2026-03-29 the clocks in Europe/Berlin are set forward from 02:00 to 03:00: from then on it runs 1 h earlier in UTC."
            ]
        ),
        (
            "0 9 * * *", "Australia/Lord_Howe",
            [
                "On 2026-04-05 the clocks in Australia/Lord_Howe are set back from 02:00 to 01:30: from then on it runs 30 min later in UTC."
            ]
        ),
        ("0 9 * * *", "Asia/Tokyo", []), ("0 9 * * *", "UTC", []),
    ])
    func changesOfTheClocksAreRemarkedOn(line: String, zone: String, remarks: [String]) throws {
        #expect(try preview(line, zone, after: "2026-01-01T00:00").remarks == remarks)
    }

    @Test func aDayThatIsSkippedIsNamedWhole() throws {
        #expect(
            try preview("0 12 * * *", "Pacific/Apia", after: "2011-12-01T00:00").remarks.first
                == "On 2011-12-30 the clocks in Pacific/Apia are set forward from 00:00 to 2011-12-31 00:00: 12:00 is skipped, and it runs at 00:00."
        )
    }

    @Test func whatNeverComesHasNoTimes() throws {
        #expect(try preview("0 0 29 2 */5", "UTC", after: "2036-03-01T00:00").times.isEmpty)
    }
}
