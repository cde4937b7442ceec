import ArgumentParser
import Campaigns
import CommandLineTool
import Foundation
import Store

/// `fanfare schedule set`
struct SetSchedule: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Let a campaign start itself.",
        discussion: """
            Gives the campaign a new revision with that schedule; the rest of its spec stays. Says it back in words, as a \
            cron line, and with the next times. The key of a run is its time in UTC, and of several workers one starts it. \
            fanfare schedule next shows what a schedule means. Exits 65 when the schedule cannot be read.

            Example: fanfare schedule set spring "weekdays 09:00 Europe/Berlin"
            Example: fanfare schedule set spring --cron "0 9 * * 1-5" --zone Europe/Berlin --jitter 5m
            Example: fanfare schedule set spring --at 2027-03-01T09:00 --zone Europe/Berlin
            Example: fanfare schedule set spring "daily 09:00 Europe/Berlin" --local
            Example: fanfare schedule set spring --none
            """)

    @Argument(help: "Name of the campaign.") var campaign: String

    @Argument(
        help: ArgumentHelp(
            "Days, time and zone, such as \"daily 09:00 UTC\" or \"Mon,Thu 09:00 Europe/Paris\", or a cron line with a zone.",
            valueName: "schedule"))
    var words: String?

    @Option(help: ArgumentHelp("Minute, hour, day, month, weekday.", valueName: "line")) var cron: String?

    @Option(help: ArgumentHelp("Once: a time with an offset, or a local one with --zone.", valueName: "time"))
    var at: String?

    @Option(help: ArgumentHelp("The time zone, such as Europe/Berlin.", valueName: "zone")) var zone: String?

    @Option(help: ArgumentHelp("Begin up to so much later, such as 5m: not all campaigns at once.", valueName: "time"))
    var jitter: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "While another run is not over: skip, queue (one waits), cancel the other, or allow both. Default: skip; with "
                + "--local allow, where the run before may still be on its way.",
            valueName: "what"))
    var overlap: String?

    @Option(
        help: ArgumentHelp(
            "Times that passed while no worker lived: skip, once (the last), or all, one behind the other. Default: once.",
            valueName: "what")
    )
    var misfire: String?

    @Option(help: ArgumentHelp("How old such a time may be. Default: 1h.", valueName: "time"))
    var catchUp: DurationArgument?

    @Option(help: ArgumentHelp("Nothing before it.", valueName: "time")) var from: String?
    @Option(help: ArgumentHelp("Nothing after it.", valueName: "time")) var until: String?

    @Option(
        help: ArgumentHelp(
            "Pause the schedule after a run of which more failed than this share, such as 0.2.", valueName: "share"))
    var pauseOnFailure: Double?

    @Flag(help: "Its times are meant in each recipient's own time zone; the spec's local says where zones come from.")
    var local = false

    @Flag(help: "Take its schedule away.") var none = false
    @OptionGroup var options: ReportOptions

    func validate() throws {
        let given = [words != nil, cron != nil, at != nil, none].count { $0 }
        if given > 1 { throw ValidationError("Give one of a schedule in words, --cron, --at and --none.") }
        let hasDetails =
            zone != nil || jitter != nil || overlap != nil || misfire != nil || catchUp != nil || from != nil
            || until != nil || pauseOnFailure != nil || local
        if given == 0 || none, hasDetails {
            throw ValidationError("The other options go with a schedule: give it in words, with --cron or with --at.")
        }
        if given == 0 { throw ValidationError("Give the schedule in words, with --cron or with --at; or --none.") }
        if words != nil, zone != nil {
            throw ValidationError("--zone goes with --cron and --at; write the zone behind the words.")
        }
    }

    func report() async throws -> Report {
        let schedule = try schedule()
        return try await options.common.withDatabase { database in
            let campaigns = CampaignStore(database: database)
            let changed = try await campaigns.schedule(campaign, schedule).changed
            return try CampaignSchedule(campaign, try await campaigns.scheduled(ofKnown: campaign))
                .report(changed: changed)
        }
    }

    /// The member `schedule` of the spec; nil: it is taken away.
    private func schedule() throws -> String? {
        var members: [String: JSONOutput] = [:]
        if let words {
            do throws(CronLineError) {
                let read = try ScheduleText(parsing: words)
                members["cron"] = .text(read.line.description)
                members["zone"] = read.zone.map { .text($0) }
            } catch {
                throw Failure(error)
            }
        } else if let cron {
            members["cron"] = .text(cron)
        } else if let at {
            members["at"] = .text(at)
        } else {
            return nil
        }
        if let zone { members["zone"] = .text(zone) }
        if let jitter { members["jitter"] = .text("\(jitter.seconds) s") }
        if let overlap { members["overlap"] = .text(overlap) }
        if let misfire { members["misfire"] = .text(misfire) }
        if let catchUp { members["catchUp"] = .text("\(catchUp.seconds) s") }
        if let from { members["from"] = .text(from) }
        if let until { members["until"] = .text(until) }
        if local { members["local"] = .flag(true) }
        if let pauseOnFailure { members["pauseOnFailure"] = .decimal(pauseOnFailure) }
        return JSONOutput.object(members).line
    }
}
