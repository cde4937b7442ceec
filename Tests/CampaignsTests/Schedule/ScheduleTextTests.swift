import Testing

@testable import Campaigns

@Suite struct ScheduleTextTests {
    @Test(arguments: [
        ("0 7 * * 1-5 Europe/Paris", "0 7 * * 1-5", "Europe/Paris"), ("0 7 * * 1-5", "0 7 * * 1-5", nil),
        ("@daily", "0 0 * * *", nil), ("@daily Europe/Paris", "0 0 * * *", "Europe/Paris"),
        ("daily 07:00", "0 7 * * *", nil), ("weekdays 07:00 Europe/Paris", "0 7 * * 1-5", "Europe/Paris"),
        ("Weekends 9:30 UTC", "30 9 * * 6,0", "UTC"), ("Mon,Thu 09:30", "30 9 * * mon,thu", nil),
        ("mon-fri 09:30,17:30", "30 9,17 * * mon-fri", nil), ("1st 08:00", "0 8 1 * *", nil),
        ("1st,15th 08:00 America/New_York", "0 8 1,15 * *", "America/New_York"), ("0 0 * * * CET", "0 0 * * *", "CET"),
        ("  daily\t07:00  ", "0 7 * * *", nil),
    ])
    func wordsAndCronAreRead(text: String, cron: String, zone: String?) throws {
        let schedule = try ScheduleText(parsing: text)
        #expect(schedule.line.description == cron)
        #expect(schedule.zone == zone)
    }

    @Test(arguments: [
        ("daily", "daily lacks a time", "Such as daily 09:00."), ("Mon", "Mon lacks a time", "Mon 09:00"),
        ("daily 25:00", "25:00 is not a time of day", "09:30"), ("daily 9:5", "9:5 is not a time of day", "09:30"),
        ("daily 09:00,10:30", "times with different minutes are several schedules", "09:30,17:30"),
        ("dayly 09:00", "dayly is not known before a time", "daily, weekdays"),
        ("32nd 09:00", "day: 32 is out of range", "1 to 31"), ("1 09:00", "1 is not known before a time", "1st,15th"),
        ("* 09:00", "* is not known before a time", "daily"),
        ("daily 09:00 Europe/Paris now", "Europe/Paris does not belong there", "then the zone"),
        ("every 2 weeks", "every says nothing here", "1st,15th"),
        ("Last friday of the month", "Last says nothing here", "28th"),
        ("every monday 09:00 Europe/Berlin", "every says nothing here", "Mon 09:00"),
        ("first monday 09:00", "first says nothing here", "cron or systemd"),
        // Seconds, not a zone.
        ("0 0 9 * * 1-5", "it has 6 fields", "0 9 * * 1-5"),
        ("0 0 9 * * mon-fri", "it has 6 fields", "0 9 * * mon-fri"),
        ("0 0 9 * * L", "it has 6 fields", "0 9 * * L"), ("", "it has 0 fields", "0 9 * * 1-5"),
    ])
    func othersAreRefusedWithWhatToWrite(text: String, why: String, hint: String) throws {
        let error = try #require(throws: CronLineError.self) { try ScheduleText(parsing: text) }
        #expect("\(error)".hasPrefix(why), "\(error)")
        #expect(error.hint?.contains(hint) == true, "\(error.hint ?? "")")
    }
}
