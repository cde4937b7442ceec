import Campaigns
import Postgres
import PushModel
import TestSupport
import Testing

/// PostgreSQL refuses a wrong schedule when a campaign is made, workers read it later, and `fanfare` reads it on the command
/// line: what one of them takes, the others take as well, and as the same.
@Suite struct ScheduleAgreementTests {
    /// Mostly right, with mistakes of each kind.
    private static func field(_ random: inout SeededRandom) -> String {
        let parts = [
            "*", "*/5", "*/0", "0", "7", "1-5", "5-1", "1,15", "1-20/3", "5/10", "60", "24", "31", "30", "99", "mon",
            "MON-fri",
            "jan", "Feb-APR", "sunday", "L", "5L", "15W", "3#2", "?", "H", "", "1,", ",1", "1-", "-1", "*-5", "1--2",
            "0-7",
            "6-7", "07", "007", "*/70", "1.5", "٣", "x", "sat,sun",
        ]
        if Int.random(in: 0..<3, using: &random) > 0 { return ["*", "1", "0-5", "*/2"].randomElement(using: &random)! }
        return parts.randomElement(using: &random)!
    }

    @Test func theDatabaseAndTheWorkersTakeTheSameCronLines() async throws {
        var random = SeededRandom(seed: 21)
        var lines = [
            "@daily", "@DAILY", "@reboot", "@hourly ", "@every 5m", "", "* * * *", "* * * * * *", "0 0 30 2 *",
        ]
        lines += ["0 0 31 4,6 *", "0 0 31 4,6 1", "0 0 29 2 *", "0 0 31 */2 *", "0 0 31 2-12/2 *", "\t0  9\t* * 1 "]
        for _ in 0..<4_000 {
            lines.append((0..<5).map { _ in Self.field(&random) }.joined(separator: " "))
        }
        let test = try await TestDatabase.make()
        let asked = lines
        let found = try await test.texts(
            "SELECT coalesce(push_internal.wrong_cron(l), '') FROM unnest(\(asked)) WITH ORDINALITY u(l, n) ORDER BY n")
        #expect(found.count == lines.count)
        for (line, wrong) in zip(lines, found) {
            var refused: CronLineError?
            do throws(CronLineError) { _ = try CronLine(parsing: line) } catch { refused = error }
            #expect((refused == nil) == wrong.isEmpty, "\(line): \(refused.map { "\($0)" } ?? "fine"); SQL: \(wrong)")
        }
        // Both kinds are among them.
        #expect(found.count { $0.isEmpty } > 300)
        #expect(found.count { !$0.isEmpty } > 300)
    }

    /// What the database takes and a worker does not, a worker would look at for ever.
    @Test func aTimeThatTheDatabaseTakesIsOneForTheWorkers() async throws {
        var random = SeededRandom(seed: 35)
        var times = [
            "2027-06-30T23:59:60Z", "2027-06-30T24:00:00Z", "2027-06-30 24:00", "1969-12-31T23:00:00Z", "0001-01-01",
            "2027-01-01Z", "2027-01-01+01:00", "2027-01-01T09:00+16:00", "2027-01-01T09:00-24:00", "2027-02-29",
        ]
        let parts = [
            ["2027", "1970", "9999", "1969", "0000"], ["01", "02", "12", "13", "00"], ["01", "29", "31", "32", "00"],
            ["T", " ", ""], ["00", "09", "23", "24", "25"], ["00", "59", "60"], ["", ":00", ":59", ":60", ":61"],
            ["", "Z", "+01:00", "-12:00", "+14:00", "+15:59", "+16:00", "-24:00", "+01:60"],
        ]
        for _ in 0..<3_000 {
            // Each part is most often right.
            let p = parts.map { Bool.random(using: &random) ? $0[0] : $0.randomElement(using: &random)! }
            let time = p[3].isEmpty ? "" : "\(p[3])\(p[4]):\(p[5])\(p[6])"
            times.append("\(p[0])-\(p[1])-\(p[2])\(time)\(p[7])")
        }
        let test = try await TestDatabase.make()
        let asked = times
        let wrong = try await test.texts(
            """
            SELECT coalesce((push_internal.wrong_moment('at', to_json(u.t), '"Europe/Berlin"')).message, '')
              FROM unnest(\(asked)) WITH ORDINALITY u(t, n) ORDER BY n
            """)
        let zones = TimeZones()
        for (time, wrong) in zip(times, wrong) {
            var refused: OneOffTimeError?
            do throws(OneOffTimeError) {
                _ = try OneOffTime(parsing: Schedule.withTime(time), zone: "Europe/Berlin", in: zones)
            } catch { refused = error }
            #expect((refused == nil) == wrong.isEmpty, "\(time): \(refused.map { "\($0)" } ?? "fine"); SQL: \(wrong)")
        }
        #expect(wrong.count { $0.isEmpty } > 300 && wrong.count { !$0.isEmpty } > 300)
        await test.database.close()
    }

    /// Of schedules, and of the column time_zone: whose name one of them does not take is reached hours late.
    @Test func theDatabaseAndTheWorkersTakeTheSameZones() async throws {
        let test = try await TestDatabase.make()
        let zones = TimeZones()
        let names =
            try await test.texts("SELECT name FROM pg_timezone_names ORDER BY 1") + [
                "Mars", "Mars/Base", "GMT+1", "", "EUROPE/BERLIN", "Europe/berlin", "Africa/Dar_Es_Salaam", "gmt",
            ]
        let wrong = try await test.texts(
            """
            SELECT coalesce((push_internal.wrong_zone('zone', to_json(u.name))).message, '')
              FROM unnest(\(names)) WITH ORDINALITY u(name, n) ORDER BY n
            """)
        for (name, wrong) in zip(names, wrong) {
            var refused: TimeZoneError?
            do throws(TimeZoneError) { _ = try zones.named(name) } catch { refused = error }
            #expect((refused == nil) == wrong.isEmpty, "\(name): \(refused.map { "\($0)" } ?? "fine"); SQL: \(wrong)")
        }
        #expect(wrong.count { $0.isEmpty } > 300 && wrong.count { !$0.isEmpty } > 300)
        try await test.database.script(
            """
            SELECT push.make_list('l');
            INSERT INTO push.list_member (list, key, tag, time_zone)
            SELECT 1, z, 'a', z FROM unnest('{Singapore,GMT,Europe/Berlin,CET,posix/Europe/Berlin}'::text[]) z;
            """)
        #expect(
            try await test.texts(
                """
                SELECT concat_ws(' ', part, zone, zone_known)
                  FROM push_internal.parts_of_audience('{"audience": {"list": "l"}, "local": {"default": "UTC"}}')
                 ORDER BY part COLLATE "C"
                """) == [
                    "CET UTC f", "Europe/Berlin Europe/Berlin t", "GMT GMT t", "Singapore Singapore t",
                    "posix/Europe/Berlin UTC f",
                ])
        await test.database.close()
    }

    @Test func theDatabaseAndTheCommandLineReadTheSameWords() async throws {
        var random = SeededRandom(seed: 22)
        let days = [
            "daily", "Daily", "weekdays", "weekends", "Mon,Thu", "mon-fri", "fri-mon", "1st", "1st,15th", "2nd", "32nd",
            "hourly",
            "0 9 * *", "5", "@daily", "monday",
        ]
        let times = ["09:00", "9:30", "24:00", "09:60", "09:30,17:30", "09:30,17:00", "0:05", "9", "", "09:00:00"]
        let zones = ["UTC", "Europe/Berlin", "CET", "MON", "", "Mars/Base", "1-5"]
        let texts = (0..<1_500).map { _ in
            [days, times, zones].map { $0.randomElement(using: &random)! }.filter { !$0.isEmpty }.joined(separator: " ")
        }
        let test = try await TestDatabase.make()
        // A cron line that is refused is nothing to compare.
        let found = try await test.texts(
            """
            SELECT CASE WHEN push_internal.wrong_cron(s ->> 'cron') IS NULL THEN concat_ws('|', s ->> 'cron', s ->> 'zone') ELSE '' END
              FROM unnest(\(texts)) WITH ORDINALITY u(t, n), push.read_schedule(to_json(t)) s ORDER BY n
            """)
        for (text, read) in zip(texts, found) {
            let ours: String
            do throws(CronLineError) {
                let schedule = try ScheduleText(parsing: text)
                ours = [schedule.line.description, schedule.zone].compactMap(\.self).joined(separator: "|")
            } catch {
                ours = ""  // refused, as SQL says it
            }
            #expect(ours == read.replacing("@daily", with: "0 0 * * *"), "\(text)")
        }
        #expect(found.count { !$0.isEmpty } > 200)
    }
}
