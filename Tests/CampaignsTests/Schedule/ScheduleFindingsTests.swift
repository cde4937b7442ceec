import Store
import Testing

@testable import Campaigns

/// What is said of a schedule before it comes, or does not.
@Suite struct ScheduleFindingsTests {
    /// Sunday, 1 March 2026, 00:00 UTC.
    private static let now = 1_772_323_200

    private static func findings(_ text: Schedules.Text) throws -> [CampaignStore.Finding] {
        try Schedule(text, in: TimeZones()).findings(after: now)
    }

    @Test(arguments: [
        (Schedules.Text(at: "2020-01-01T09:00", zone: "Europe/Berlin"), "Wed 2020-01-01 09:00 +01:00 is past"),
        (
            Schedules.Text(cron: "0 9 * * *", zone: "UTC", until: "2026-02-01"),
            "until, Sun 2026-02-01 00:00 +00:00, is past"
        ),
        (
            Schedules.Text(cron: "0 9 * * 1", zone: "UTC", from: "2026-03-03", until: "2026-03-08"),
            "no time of 0 9 * * 1 lies between from and until"
        ),
        (Schedules.Text(at: "2026-05-01", zone: "UTC", until: "2026-04-01"), "lies outside of from and until"),
    ])
    func oneThatNeverComesIsWarnedOf(text: Schedules.Text, why: String) throws {
        let findings = try Self.findings(text)
        #expect(findings.map(\.level) == ["warning"])
        #expect(findings.first?.finding.hasPrefix("it never starts: ") == true)
        #expect(findings.first?.finding.contains(why) == true, "\(findings)")
    }

    @Test(arguments: [
        (nil, "info", "both go on side by side"), ("allow", "info", "both go on side by side"),
        ("skip", "warning", "skipped if one goes as far as UTC-10"), ("queue", "warning", "it waits if one goes"),
        ("cancel", "warning", "it cancels what zones from UTC-10 on"),
    ])
    func aDailyLocalOneSaysWhatOverlapMeansForIt(overlap: String?, level: String, words: String) throws {
        let zone = "Pacific/Kiritimati"
        let daily = Schedules.Text(cron: "0 9 * * *", zone: zone, overlap: overlap, isLocal: true)
        let findings = try Self.findings(daily)
        #expect(findings.map(\.level) == [level])
        #expect(findings.first?.finding.contains(words) == true, "\(findings)")
        #expect(try Self.findings(Schedules.Text(cron: "0 9 * * 1", zone: zone, overlap: overlap, isLocal: true)) == [])
    }

    @Test func oneThatComesNeedsNoWords() throws {
        #expect(try Self.findings(Schedules.Text(cron: "0 9 * * *", zone: "UTC", overlap: "skip")) == [])
    }
}
