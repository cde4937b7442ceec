import Testing

@testable import HubEmulator

@Suite struct ScheduleTimeTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00", 0), ("2026-01-02T03:04:05", 1_767_323_045), ("2026-01-02T03:04:05Z", 1_767_323_045),
        ("2026-01-02T03:04:05+00:00", 1_767_323_045), ("2026-01-02T05:04:05+02:00", 1_767_323_045),
        ("2026-01-01T21:34:05-05:30", 1_767_323_045), ("2026-01-02T03:04:05.25", 1_767_323_045.25),
        ("2026-01-02T03:04:05.250000+00:00", 1_767_323_045.25), ("2024-02-29T00:00:00", 1_709_164_800),
    ])
    func whatClientsWriteIsRead(text: String, seconds: Double) {
        #expect(ScheduleTime.parse(text) == seconds)
    }

    @Test(arguments: [
        "", "2026-01-02", "2026-01-02'T'03:04:05", "2026-01-02 03:04:05", "2025-02-29T00:00:00", "2026-13-01T00:00:00",
        "2026-00-01T00:00:00", "2026-01-00T00:00:00", "2026-01-02T24:00:00", "2026-01-02T03:60:00",
        "2026-01-02T03:04:60", "2026-01-02T03:04:05+1:00", "2026-01-02T03:04:05+99:00", "1969-12-31T23:59:59",
        "2026-01-02T03:04:05.", "2026-01-02T03:04:05.1234567890", "٢٠٢٦-01-02T03:04:05", "2026-1-2T3:4:5",
    ])
    func whatIsNoTimeIsNot(text: String) {
        #expect(ScheduleTime.parse(text) == nil)
    }

    @Test func everyDayOfSomeYearsIsFoundAgain() {
        for day in stride(from: 0, to: 40_000, by: 1) {
            let time = CivilTime(secondsSince1970: Double(day * 86_400))
            #expect(CivilTime.days(toYear: time.year, month: time.month, day: time.day) == day)
        }
    }

    @Test func ticksHaveSevenDigitsOrNone() {
        #expect(CivilTime.ticks(secondsSince1970: 1_767_323_045) == "2026-01-02T03:04:05Z")
        #expect(CivilTime.ticks(secondsSince1970: 1_767_323_045.5) == "2026-01-02T03:04:05.5000000Z")
        #expect(CivilTime.ticks(secondsSince1970: .nan) == "1970-01-01T00:00:00Z")
        #expect(CivilTime.ticks(secondsSince1970: .infinity) == "9999-12-31T23:59:59Z")
    }
}
