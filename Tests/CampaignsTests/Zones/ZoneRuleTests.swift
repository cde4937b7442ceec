import PushModel
import Testing

@testable import Campaigns

@Suite struct ZoneRuleTests {
    private func instant(_ text: String) throws -> Int {
        try OneOffTime(parsing: text, zone: nil, in: TimeZones()).instant
    }

    /// Each footer with the last second before a change and the first one after it, and what the clocks go by.
    @Test(arguments: [
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2045-03-26T01:00Z", 3_600, 7_200),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2045-10-29T01:00Z", 7_200, 3_600),
        // South of the equator; half an hour.
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2045-04-01T15:00Z", 39_600, 37_800),
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2045-09-30T15:30Z", 37_800, 39_600),
        // Winter time is the exception.
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2045-10-29T01:00Z", 3_600, 0),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2045-03-26T01:00Z", 0, 3_600),
        // A time before its day, and more than a day after it.
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2045-03-26T01:00Z", -7_200, -3_600),
        ("EET-2EEST,M3.4.4/50,M10.4.4/50", "2045-03-25T00:00Z", 7_200, 10_800),
        ("<-04>4<-03>,M9.1.6/24,M4.1.6/24", "2045-09-03T04:00Z", -14_400, -10_800),
        // Days by number, without and with 29 February.
        ("AAA3BBB,J60,J300", "2044-03-01T05:00Z", -10_800, -7_200),
        ("AAA3BBB,J60,J300", "2045-03-01T05:00Z", -10_800, -7_200),
        ("AAA3BBB,59,300", "2044-02-29T05:00Z", -10_800, -7_200),
        ("AAA3BBB,59,300", "2045-03-01T05:00Z", -10_800, -7_200),
        ("AAA3BBB4:30:15,0/167,J365/-167", "2045-01-08T02:00Z", -10_800, -16_215),
    ])
    func clocksAreChangedWhenTheFooterSaysSo(footer: String, at: String, before: Int, after: Int) throws {
        let rule = try #require(ZoneRuleParser.parse(Array(footer.utf8)[...]))
        let change = try instant(at)
        #expect(rule.period(at: change - 1).kind.offset == before)
        #expect(rule.period(at: change).kind.offset == after)
        #expect(rule.period(at: change).start == change)
        #expect(rule.period(at: change - 1).end == change)
    }

    @Test(arguments: ["XXX3EDT4,0/0,J365/23", "EST5EDT,0/0,J365/25"])
    func daylightTimeMayLastAllYear(footer: String) throws {
        let rule = try #require(ZoneRuleParser.parse(Array(footer.utf8)[...]))
        for hour in 0..<24 * 800 {
            let period = rule.period(at: 2_000_000_000 + hour * 3_600)
            #expect(period.kind.offset == -14_400 && period.start < period.end)
        }
    }

    @Test(arguments: ["UTC0", "<+0545>-5:45", "EST5", "HST10"])
    func aZoneMayHaveOneTimeForEver(footer: String) throws {
        let rule = try #require(ZoneRuleParser.parse(Array(footer.utf8)[...]))
        #expect(rule.daylight == nil)
        #expect(rule.period(at: 0).end == ZonePeriod.instants.upperBound)
    }

    @Test(arguments: [
        "", "UTC", "UT0", "<UTC0", "UTC0 ", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,", "CET-25",
        "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J3",
        "CET-1CEST,366,3", "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0/2:60,M10.5.0",
        "CET-1CEST,M3.5.0,M10.5.0/3,", ":Europe/Berlin", "CET-0001",
    ])
    func otherFootersAreNone(footer: String) {
        #expect(ZoneRuleParser.parse(Array(footer.utf8)[...]) == nil)
    }
}
