import Foundation
import ProgramSupport
import Testing

/// `fanfare schedule next`, without settings and without a database.
@Suite struct ScheduleTests {
    private let fanfare = BuiltProgram(settings: nil)

    @Test func aScheduleIsShownInWordsInItsZoneAndInUTC() async throws {
        let ended = try await fanfare(
            "schedule", "next", "30 2 * * *", "--zone", "Europe/Berlin", "-n", "2", "--from", "2026-03-28T12:00")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(
            ended.output == """
                at 02:30 every day, Europe/Berlin
                cron: 30 2 * * *

                IN THE ZONE                  UTC                   NOTE
                Sun 2026-03-29 03:00 +02:00  2026-03-29T01:00:00Z  the clocks skip 2026-03-29 02:30
                Mon 2026-03-30 02:30 +02:00  2026-03-30T00:30:00Z

                On 2026-03-29 the clocks in Europe/Berlin are set forward from 02:00 to 03:00: 02:30 is skipped, and it runs at 03:00.
                On 2026-10-25 the clocks in Europe/Berlin are set back from 03:00 to 02:00: 02:30 comes twice, and it runs the first time.

                """)
    }

    @Test func theShortFormNamesItsZone() async throws {
        let ended = try await fanfare(
            "schedule", "next", "weekdays 07:00 Europe/Paris", "--count", "1", "--from", "2026-11-27T07:00+01:00",
            "--json")
        let document = try ended.json([String: Any].self)
        #expect(document["words"] as? String == "at 07:00 on Monday to Friday, Europe/Paris")
        #expect(document["cron"] as? String == "0 7 * * 1-5")
        #expect(document["zone"] as? String == "Europe/Paris")
        let times = try #require(document["times"] as? [[String: Any]])
        #expect(times.map { $0["local"] as? String } == ["2026-11-30T07:00:00+01:00"])
        #expect(times.map { $0["utc"] as? String } == ["2026-11-30T06:00:00Z"])
        #expect(times.map { $0["abbreviation"] as? String } == ["CET"])
        #expect((document["remarks"] as? [String])?.count == 1)
    }

    /// Now, in UTC, five times.
    @Test func withoutOptionsItBeginsNowInUTC() async throws {
        let document = try await fanfare("schedule", "next", "@hourly", "--json").json([String: Any].self)
        #expect(document["zone"] as? String == "UTC")
        let times = try #require(document["times"] as? [[String: Any]]).compactMap { $0["utc"] as? String }
        #expect(times.count == 5 && times.allSatisfy { $0.hasSuffix(":00:00Z") })
        let instants = try times.map { try Date($0, strategy: .iso8601) }
        let wait = try #require(instants.first).timeIntervalSinceNow
        #expect(wait > -60 && wait <= 3600)
    }

    private static let wrong: [(arguments: [String], status: Int32, says: String, hint: String?)] = [
        (["0 0 30 2 *"], 65, "schedule: February never has a day 30", "28 is the last day"),
        (["61 * * * *"], 65, "schedule: minute: 61 is out of range", "from 0 to 59"),
        (["@reboot"], 65, "schedule: @reboot is not a time", "fanfare campaign run"),
        (["0 0 29 2 */5", "--from", "2036-03-01T00:00Z"], 65, "schedule: at 00:00 on the 29th", "Set fewer fields"),
        (["daily 07:00", "--zone", "CET"], 65, "time zone: CET is an abbreviation", "Europe/Berlin"),
        (["daily 07:00 Europe/Berlni"], 65, "time zone: there is no time zone Europe/Berlni", "Europe/Berlin"),
        (["daily 07:00", "--from", "tomorrow"], 65, "--from: tomorrow is not a time", "2027-03-01T07:00Z"),
        (["daily 07:00", "--from", "2027-02-30T09:00"], 65, "--from: 2027-02-30 is not a day", nil),
        (
            ["daily 07:00 Asia/Tokyo", "--zone", "UTC"], 64, "wrong command line: the schedule names Asia/Tokyo",
            "Give one."
        ),
        (["daily 07:00", "-n", "0"], 64, "--count is from 1 to 1000, not 0.", nil),
        ([], 64, "missing expected argument", nil),
    ]

    @Test(arguments: wrong)
    func whatIsWrongIsSaidWithWhatToWrite(
        arguments: [String], status: Int32, says: String, hint: String?
    ) async throws {
        let ended = try await fanfare.run(["schedule", "next"] + arguments)
        #expect(ended.status == status)
        #expect(ended.output.isEmpty)
        #expect(ended.errors.contains(says), "\(ended.errors)")
        if let hint { #expect(ended.errors.contains("hint: ") && ended.errors.contains(hint), "\(ended.errors)") }
    }

    /// Never UTC in silence.
    @Test func aMachineWithoutTzdataIsAWrongSetting() async throws {
        let scratch = try ScratchDirectory()
        var fanfare = fanfare
        fanfare.environment["TZDIR"] = scratch.path
        let ended = try await fanfare("schedule", "next", "daily 07:00")
        #expect(ended.status == 78)
        #expect(ended.errors.hasPrefix("fanfare: time zone: there are no time zones in \(scratch.path)"))
        #expect(ended.errors.contains("hint: Install the package tzdata"))
    }
}
