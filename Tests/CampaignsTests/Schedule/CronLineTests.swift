import Testing

@testable import Campaigns

@Suite struct CronLineTests {
    private func error(_ text: String) -> CronLineError? {
        #expect(throws: CronLineError.self, "\(text)") { try CronLine(parsing: text) }
    }

    @Test(arguments: [
        ("5 9 * * *", [5], [9]), ("0,30 9-17/4 * * *", [0, 30], [9, 13, 17]),
        ("*/20 */12 * * *", [0, 20, 40], [0, 12]),
        ("50-59/5 0 * * *", [50, 55], [0]), ("7-7/5 0 * * *", [7], [0]), ("59 23 * * *", [59], [23]),
        ("1,1,1 0 * * *", [1], [0]), (" 0\t 0  * * * ", [0], [0]), ("*/100 0 * * *", [0], [0]),
    ])
    func minutesAndHoursAreRead(text: String, minutes: [Int], hours: [Int]) throws {
        let line = try CronLine(parsing: text)
        #expect(line.minutes.numbers == minutes && line.hours.numbers == hours)
    }

    @Test(arguments: [
        ("0 0 * jan,DEC Sun", [1, 12], [0]), ("0 0 * feb-Apr mon-FRI", [2, 3, 4], [1, 2, 3, 4, 5]),
        ("0 0 * */4 0,7", [1, 5, 9], [0]), ("0 0 * 1 5-7", [1], [0, 5, 6]), ("0 0 * 1 */2", [1], [0, 2, 4, 6]),
        ("0 0 * 1 1-7/3", [1], [0, 1, 4]), ("0 0 * 1 0-7", [1], [0, 1, 2, 3, 4, 5, 6]),
    ])
    func monthsAndWeekdaysHaveNames(text: String, months: [Int], weekdays: [Int]) throws {
        let line = try CronLine(parsing: text)
        #expect(line.months.numbers == months && line.weekdays.numbers == weekdays)
    }

    @Test(arguments: [
        ("@hourly", "0 * * * *"), ("@daily", "0 0 * * *"), ("@Midnight", "0 0 * * *"), ("@weekly", "0 0 * * 0"),
        ("@monthly", "0 0 1 * *"), ("@yearly", "0 0 1 1 *"), ("@annually", "0 0 1 1 *"),
        ("  0   9 * * 1-5", "0 9 * * 1-5"),
    ])
    func nicknamesStandForFields(text: String, fields: String) throws {
        #expect(try CronLine(parsing: text).description == fields)
        #expect(try CronLine(parsing: text) == CronLine(parsing: fields))
    }

    /// The star flag of Vixie cron: what begins with `*` is not restricted, also `*/2`.
    @Test(arguments: [
        ("0 0 13 * 5", true), ("0 0 1-31 * 5", true), ("0 0 13 * 0-6", true), ("0 0 13,* * 5", true),
        ("0 0 * * 5", false), ("0 0 13 * *", false), ("0 0 */2 * 1", false), ("0 0 1,15 * */2", false),
        ("0 0 *,13 * 5", false),
    ])
    func oneDayFieldIsEnoughWhereBothAreRestricted(text: String, isEither: Bool) throws {
        #expect(try CronLine(parsing: text).daysAreEither == isEither)
    }

    @Test(arguments: [
        ("* 2 * * *", true), ("*/5 2 * * *", true), ("30 * * * *", true), ("30 */2 * * *", true),
        ("30 2 * * *", false), ("0-59 2 * * *", false), ("30 0-23 * * *", false), ("1,* 2 * * *", false),
    ])
    func aStarInMinuteOrHourFollowsTheWall(text: String, follows: Bool) throws {
        #expect(try CronLine(parsing: text).followsWall == follows)
    }

    @Test(arguments: [
        ("", "it has 0 fields of five", "0 9 * * 1-5"), ("daily", "it has one field of five", "0 9 * * 1-5"),
        ("0 0 9 * * 1-5", "it has 6 fields, and there are no seconds", ": 0 9 * * 1-5"),
        ("0 0 9 * * ? 2026", "it has 7 fields", ": 0 9 * * ?"),
        ("60 9 * * *", "minute: 60 is out of range", "It goes from 0 to 59."),
        ("0 24 * * *", "hour: 24 is out of range", "0 to 23"), ("0 0 0 * *", "day: 0 is out of range", "1 to 31"),
        ("0 0 * 13 *", "month: 13 is out of range", "1 to 12"),
        ("0 0 * * 8", "weekday: 8 is out of range", "0 to 7; 0 and 7 are Sunday"),
        ("5/15 * * * *", "minute: 5/15: a step needs a range", "Write 5-59/15, or */15."),
        ("0 0 * * 1/2", "weekday: 1/2: a step needs a range", "Write 1-6/2, or */2."),
        ("*/0 * * * *", "minute: */0: a step is a number from 1", "*/15"),
        ("*/ * * * *", "minute: */: a step is a number from 1", "*/15"),
        ("0-30/x * * * *", "minute: 0-30/x: a step is a number", "*/15"),
        ("0 22-2 * * *", "hour: 22-2 wraps around", "Write 22-23,0-2."),
        ("0 0 * * fri-sun", "weekday: fri-sun wraps around", "Write fri-6,sun."),
        ("0 0 * nov-1 *", "month: nov-1 wraps around", "Write nov-12,1."),
        ("0 0 * * Monday", "weekday: Monday is not known", "Write mon."),
        ("0 0 * september *", "month: september is not known", "Write sep."),
        ("0 0 * * mo", "weekday: mo is not known", "a number or sun to sat"),
        ("x * * * *", "minute: x is not known", "a number from 0 to 59"),
        ("0 mon * * *", "hour: mon is not known", "a number from 0 to 23"),
        ("1,,2 * * * *", "minute: \"\" lacks a number", nil), ("1- * * * *", "minute: \"1-\" lacks a number", nil),
        ("-1 * * * *", "minute: \"-1\" lacks a number", nil), ("1-2-3 * * * *", "minute: 2-3 is not known", "list"),
        ("٣ * * * *", "minute: ٣ is not known", "a number"), ("99999 * * * *", "minute: 99999 is not known", nil),
        ("0 0 L * *", "day: L: the last day of a month cannot be written", "Write 28, which every month has, or 1"),
        ("0 0 15W * *", "day: 15W: the nearest weekday cannot be written", "1-5 as the weekday"),
        ("0 0 LW * *", "day: LW: the last day", "28"),
        ("0 0 ? * 1", "day: ? belongs to another cron", "Write * instead."),
        ("0 0 * * 5#3", "weekday: 5#3: the weekday of a certain week cannot be written", "such as 15"),
        ("0 0 * * 5L", "weekday: 5L: the last weekday of a month cannot be written", "28"),
        ("H * * * *", "minute: H: H belongs to Jenkins", "jitter"),
        ("@reboot", "@reboot is not a time", "fanfare campaign run"),
        ("@dayly", "@dayly is not known", "Did you mean @daily?"),
        ("@every 5m", "nothing may follow @every", nil), ("@fortnightly", "@fortnightly is not known", "@yearly"),
        ("0 0 30 2 *", "February never has a day 30", "28 is the last day"),
        ("0 0 31 4,6,9,11 *", "April, June, September or November never has a day 31", "28"),
        ("0 0 30-31 feb */2", "February never has a day 30", "28"),
    ])
    func whatIsNoLineIsRefusedWithWhatToWrite(text: String, why: String, hint: String?) {
        guard let error = error(text) else { return }
        #expect("\(error)".hasPrefix(why), "\(error)")
        if let hint { #expect(error.hint?.contains(hint) == true, "\(error.hint ?? "")") }
    }

    /// Two days of the month and a weekday: the weekday alone comes.
    @Test func aDayThatNeverComesIsNoneWhereAWeekdayIsEnough() throws {
        #expect(try CronLine(parsing: "0 0 30 2 1").daysAreEither)
        _ = try CronLine(parsing: "0 0 29 2 *")
        // The first of February, if that is a Monday.
        #expect(try !CronLine(parsing: "0 0 */30,31 2 mon").daysAreEither)
    }

    @Test func longLinesAreRefusedBeforeTheyAreRead() {
        let list = String(repeating: "1,", count: 5_000_000) + "1 * * * *"
        let clock = ContinuousClock()
        #expect(clock.measure { _ = error(list) } < .seconds(1))
        #expect(error(list)?.why == "it has more than 256 bytes")
    }

    @Test(arguments: [
        ("0 9 * * 1-5", "at 09:00 on Monday to Friday"), ("0 9 * * *", "at 09:00 every day"),
        ("0 9,17 * * 6,0", "at 09:00 and 17:00 on Saturday and Sunday"), ("@hourly", "at minute 0 of every hour"),
        ("* * * * *", "every minute"), ("*/15 * * * *", "every 15 minutes"),
        ("*/15 9-17 * * 1-5", "every 15 minutes from 09:00 to 17:45 on Monday to Friday"),
        ("0 0 1 1 *", "at 00:00 on the 1st of the month in January"),
        ("30 8 1,15 * *", "at 08:30 on the 1st and 15th of the month"),
        ("0 0 13 * 5", "at 00:00 on the 13th of the month, and on every Friday"),
        (
            "0 0 */2 * 1",
            "at 00:00 on the 1st, 3rd, 5th, 7th, 9th, 11th, 13th, 15th, 17th, 19th, 21st, 23rd, 25th, 27th, 29th and 31st of the month, if that is a Monday"
        ),
        ("0 0 1-7 * 1,3", "at 00:00 on the 1st to 7th of the month, and on every Monday and Wednesday"),
        ("0 */2 * * *", "at minute 0 of every 2nd hour from midnight every day"),
        ("5,10-20 * * 6-8 *", "at minutes 5 and 10 to 20 of every hour in June to August"),
        ("* 2 * * *", "every minute from 02:00 to 02:59 every day"),
        ("0 7-9,12 * * 2-4,7", "at 07:00, 08:00, 09:00 and 12:00 on Tuesday to Thursday and Sunday"),
        ("0 9 1-31 * 5", "at 09:00 every day"),
    ])
    func aLineIsSaidInWords(text: String, words: String) throws {
        #expect(try CronLine(parsing: text).words == words)
    }
}
