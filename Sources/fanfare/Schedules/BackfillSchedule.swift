import ArgumentParser
import Campaigns
import CommandLineTool
import Foundation
import PushModel
import Store

/// `fanfare schedule backfill`
struct BackfillSchedule: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "backfill", abstract: "Start the runs that a schedule would have started.",
        discussion: """
            One behind the other, in order, with what the campaign says now. Each has the key that the schedule gives it, \
            so what was sent is not sent again; what the schedule skipped or missed is. Both bounds count, and lie in the \
            past; a time without an offset is in the zone of the schedule. At most 1000 runs at once, and at most 1000 of a \
            campaign wait.

            Example: fanfare schedule backfill spring --from 2027-03-01 --until 2027-03-04T12:00 --dry-run
            """)

    @Argument(help: "Name of the campaign.") var campaign: String
    @Option(help: ArgumentHelp("From this time on.", valueName: "time")) var from: String
    @Option(help: ArgumentHelp("Up to this time.", valueName: "time")) var until: String
    @Flag(help: "Only say which runs it would start.") var dryRun = false
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let campaigns = CampaignStore(database: database)
        guard let text = try await campaigns.scheduled(ofKnown: campaign, inForce: true).schedule else {
            throw Failure(
                "cannot make up runs of campaign \(campaign.quoted)", because: "it has no schedule",
                hint: "fanfare schedule set gives it one.", status: .badInput)
        }
        let times = try times(of: text)
        let keys = times.map { HumanFormat.time(secondsSince1970: Double($0)) }
        if dryRun { return report(keys, started: 0, known: nil) }
        let done = try await campaigns.backfill(campaign, times.map(Int64.init))
        return report(keys, started: done.started, known: done.known)
    }

    private func times(of text: Schedules.Text) throws -> [Int] {
        let schedule = try Schedule(reading: text, of: campaign)
        let first = try instant(from, "--from", text.zone)
        let last = try instant(until, "--until", text.zone)
        guard first <= last else {
            throw Failure("--until", because: "\(until) is before --from", hint: "Change them over.", status: .badInput)
        }
        let now = Int(Date().timeIntervalSince1970)
        guard last <= now else {
            throw Failure(
                "--until",
                because: "\(until) is still to come: it is \(HumanFormat.time(secondsSince1970: Double(now)))",
                hint: "Is the year right? What is to come starts by the schedule.", status: .badInput)
        }
        let times = schedule.times(1_001, after: first - 1).filter { $0 <= last }
        guard times.count <= 1_000 else {
            throw Failure(
                "cannot make up runs of campaign \(campaign.quoted)", because: "there would be more than 1000",
                hint: "Take a shorter time.", status: .badInput)
        }
        return times
    }

    private func instant(_ given: String, _ option: String, _ zone: String?) throws -> Int {
        do throws(OneOffTimeError) {
            return try OneOffTime(parsing: Schedule.withTime(given), zone: zone, in: TimeZones()).instant
        } catch {
            throw Failure(error, for: option)
        }
    }

    /// - Parameter known: runs that were there already; nil: nothing was started.
    func report(_ keys: [String], started: Int64, known: Int64?) -> Report {
        let before = known.map { $0 > 0 ? ", \($0) of that key there already" : "" }
        let done = before.map { "\(HumanFormat.count(started, "run")) started\($0)" }
        return Report(
            keys.isEmpty ? "the schedule has no time in between: no run" : done ?? keys.joined(separator: "\n"),
            [
                "campaign": .text(campaign), "keys": .list(keys.map { .text($0) }), "started": .number(started),
                "known": .number(known),
            ])
    }
}
