import ArgumentParser
import Campaigns
import CommandLineTool
import Foundation

/// `fanfare schedule`
struct ScheduleCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule", abstract: "Let campaigns start themselves, pause that, make up for it; try schedules.",
        discussion: """
            A schedule belongs to a campaign and is part of its spec. A login needs push_campaign or push_operator.

            Example: fanfare schedule set spring "weekdays 09:00 Europe/Berlin"
            """,
        subcommands: [
            SetSchedule.self, ShowSchedule.self, ShowNextTimes.self, PauseSchedule.self, ResumeSchedule.self,
            BackfillSchedule.self,
        ])
}

/// `fanfare schedule next`
struct ShowNextTimes: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "next", abstract: "Show when a schedule runs next, in words, in its zone and in UTC.",
        discussion: """
            Five fields as in crontab(5): minute, hour, day of the month, month, weekday; or @hourly, @daily, @weekly, \
            @monthly, @yearly; or a few words: 'daily 07:00', 'weekdays 07:00', 'weekends 09:30', 'Mon,Thu 09:30', \
            '1st,15th 08:00'. A zone may follow. A local time that the clocks skip runs at the first instant after, and \
            one that comes twice runs the first time; with * in minute or hour it runs whenever the clocks show its time. \
            Reads no settings. Exits 65 for what is not a schedule or has no time within eight years, and 78 when tzdata \
            is missing.

            Example: fanfare schedule next '0 9 * * 1-5' --zone Europe/Berlin -n 5
            """)

    @Argument(help: "The schedule, in quotes.") var schedule: String

    @Option(help: ArgumentHelp("Time zone, such as Europe/Berlin. Default: the one in the schedule, else UTC."))
    var zone: String?

    @Option(name: [.customShort("n"), .long], help: "How many times to show, 1 to 1000.") var count = 5

    @Option(
        help: ArgumentHelp(
            "Show the times after this one: RFC 3339, or local time in the zone. Default: now.", valueName: "time"))
    var from: String?

    @OptionGroup var options: ReportOptions

    func validate() throws { try require("--count", count, in: 1...1000) }

    func report() throws -> Report {
        let preview = try preview(in: TimeZones(), now: Date())
        guard !preview.times.isEmpty else {
            throw Failure(
                "schedule", because: "\(preview.words): that is never within eight years",
                hint: "Set fewer fields, such as a day of the month without a weekday.", status: .badInput)
        }
        return Report(preview)
    }

    private func preview(in zones: TimeZones, now: Date) throws(Failure) -> SchedulePreview {
        let parsed: ScheduleText
        do throws(CronLineError) { parsed = try ScheduleText(parsing: schedule) } catch { throw Failure(error) }
        if let zone, let other = parsed.zone, zone != other {
            throw Failure(
                "wrong command line", because: "the schedule names \(other), and --zone names \(zone)",
                hint: "Give one.",
                status: .usage)
        }
        let name = zone ?? parsed.zone ?? "UTC"
        let rules: TimeZoneFile
        do throws(TimeZoneError) { rules = try zones.named(name) } catch { throw Failure(error) }
        var after = Int(now.timeIntervalSince1970.rounded(.down))
        if let from {
            do throws(OneOffTimeError) {
                after = try OneOffTime(parsing: from, zone: name, in: zones).instant
            } catch {
                throw Failure(error, for: "--from")
            }
        }
        return SchedulePreview(parsed.line, zone: name, rules: rules, after: after, count: count)
    }
}
