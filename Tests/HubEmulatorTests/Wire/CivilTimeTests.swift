import Foundation
import PushModel
import Testing

@testable import HubEmulator

@Suite struct CivilTimeTests {
    @Test func itAgreesWithFoundationsCalendar() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        var generator = SeededRandom(seed: 1)
        for _ in 0..<2_000 {
            let seconds = Double(Int.random(in: 0...253_402_300_799, using: &generator))
            let time = CivilTime(secondsSince1970: seconds)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second, .weekday], from: Date(timeIntervalSince1970: seconds))
            #expect([time.year, time.month, time.day] == [parts.year, parts.month, parts.day])
            #expect([time.hour, time.minute, time.second] == [parts.hour, parts.minute, parts.second])
            #expect(time.weekday + 1 == parts.weekday)
        }
    }

    @Test(arguments: [
        (1_593_714_803.9, "Thu, 02 Jul 2020 18:33:23 GMT", "7/2/2020 6:33:23 PM", "20200702183323"),
        (0, "Thu, 01 Jan 1970 00:00:00 GMT", "1/1/1970 12:00:00 AM", "19700101000000"),
        (951_825_599, "Tue, 29 Feb 2000 11:59:59 GMT", "2/29/2000 11:59:59 AM", "20000229115959"),
        (951_825_600, "Tue, 29 Feb 2000 12:00:00 GMT", "2/29/2000 12:00:00 PM", "20000229120000"),
        (-5, "Thu, 01 Jan 1970 00:00:00 GMT", "1/1/1970 12:00:00 AM", "19700101000000"),
        (.infinity, "Fri, 31 Dec 9999 23:59:59 GMT", "12/31/9999 11:59:59 PM", "99991231235959"),
    ])
    func everyFormIsTheServices(seconds: Double, http: String, stamp: String, compact: String) {
        let time = CivilTime(secondsSince1970: seconds)
        #expect(time.httpDate == http)
        #expect(time.errorStamp == stamp)
        #expect(time.compact == compact)
    }

    @Test func noClockTraps() {
        #expect(CivilTime(secondsSince1970: .nan).year >= 1970)
    }

    @Test func everyDayOfACenturyRoundTrips() {
        for day in stride(from: 0, to: 40_000, by: 1) {
            let time = CivilTime(secondsSince1970: Double(day * 86_400))
            #expect(CivilDate(year: time.year, month: time.month, day: time.day).daysSince1970 == day)
        }
    }

    @Test func ticksHaveSevenDigitsOrNone() {
        #expect(CivilTime.ticks(secondsSince1970: 1_767_323_045) == "2026-01-02T03:04:05Z")
        #expect(CivilTime.ticks(secondsSince1970: 1_767_323_045.5) == "2026-01-02T03:04:05.5000000Z")
        #expect(CivilTime.ticks(secondsSince1970: .nan) == "1970-01-01T00:00:00Z")
        #expect(CivilTime.ticks(secondsSince1970: .infinity) == "9999-12-31T23:59:59Z")
    }
}
