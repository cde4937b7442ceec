import Foundation
import Testing

@testable import PushModel

@Suite struct CivilDateTests {
    /// Every day from 1599 to 2402: all leap rules, and negative eras.
    @Test func everyDayIsTheDayFoundationSaysItIs() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for days in -135_500...158_000 {
            let date = CivilDate(daysSince1970: days)
            if date.daysSince1970 != days { Issue.record("\(date) is not day \(days)") }
            guard days.isMultiple(of: 7) else { continue }
            let parts = calendar.dateComponents(
                [.year, .month, .day], from: Date(timeIntervalSince1970: Double(days) * 86_400))
            #expect(date.year == parts.year && date.month == parts.month && date.day == parts.day, "day \(days)")
        }
    }

    @Test(arguments: [
        (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2100, 3, 1, 47_541), (0, 1, 1, -719_528),
        (9999, 12, 31, 2_932_896),
    ])
    func aDayHasItsNumber(year: Int, month: Int, day: Int, number: Int) {
        let date = CivilDate(year: year, month: month, day: day)
        #expect(date.daysSince1970 == number)
        #expect(CivilDate(daysSince1970: number) == date)
        #expect(date.isInCalendar)
    }

    @Test(arguments: [(2026, 2, 29), (2026, 2, 30), (2100, 2, 29), (2026, 4, 31), (2026, 1, 0), (2026, 13, 1)])
    func aDayThatDoesNotExistIsNotInTheCalendar(year: Int, month: Int, day: Int) {
        #expect(!CivilDate(year: year, month: month, day: day).isInCalendar)
    }

    @Test func aTimeOfDayHasHoursMinutesAndSeconds() {
        let time = TimeOfDay(secondsSinceMidnight: 86_399)
        #expect(time.hour == 23 && time.minute == 59 && time.second == 59)
        #expect(TimeOfDay(secondsSinceMidnight: 0).hour == 0)
    }
}
