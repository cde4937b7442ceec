import Campaigns
import Concurrency
import Pages
import Postgres
import PushModel
import Store

/// Lets a campaign start itself once (`push.schedule_campaign`).
struct ScheduleOnceAction: CampaignAction {
    static let name = "schedule-once"

    let campaign: String
    private let time: OneOffTime
    /// As it is kept: on the clocks of its zone, or in UTC where an offset was typed.
    private let at: String
    /// For people: `Mon 2027-03-01 09:00 +01:00`
    private let shown: String

    /// - Throws: `FieldProblem` for a time or a zone that cannot be read: nothing is guessed.
    init(_ fields: FormFields) throws(FieldProblem) {
        campaign = try fields.campaignName()
        let typed = try fields.required("at", "At which time? Such as 2027-03-01 09:00.")
        let zones = TimeZones()
        do throws(OneOffTimeError) {
            time = try OneOffTime(parsing: typed, zone: fields["zone"], in: zones)
        } catch {
            throw FieldProblem("at", "\(error)", error.hint)
        }
        guard let zone = time.zone else {
            at = WallTime(seconds: time.instant).stamp()
            shown = at
            return
        }
        do throws(TimeZoneError) {
            let offset = try zones.named(zone).period(at: time.instant).kind.offset
            let wall = WallTime(seconds: time.instant + offset)
            at = "\(wall)"
            shown = wall.shown(offset: offset)
        } catch {
            throw FieldProblem("zone", "\(error)", error.hint)
        }
    }

    var fields: [(name: String, value: String)] {
        [("campaign", campaign), ("at", at)] + (time.zone.map { [("zone", $0)] } ?? [])
    }
    var sql: String {
        let zone = time.zone.map { ", 'zone', \(SQLText.literal($0))" } ?? ""
        return "SELECT revision, changed FROM push.schedule_campaign(\(SQLText.literal(campaign)), "
            + "json_build_object('at', \(SQLText.literal(at))\(zone))) -- without the other members of its schedule"
    }
    var command: String? {
        "fanfare schedule set \(ShellText.word(campaign)) --at \(ShellText.word(at))"
            + (time.zone.map { " --zone \(ShellText.word($0))" } ?? "")
    }

    func question(about standing: CampaignStore.Campaign, _ reading: CampaignReading) async -> Question {
        var question = Question(title: "Let campaign \(campaign) start itself once?", verb: "Keep the schedule")
        if standing.state == "archived" {
            question.pointless = Question.unready(standing)
            return question
        }
        let now = SystemClock.wallSeconds()
        let utc = WallTime(seconds: time.instant).stamp()
        guard Double(time.instant) > now else {
            question.pointless = "\(utc) is past: it is \(HumanFormat.time(secondsSince1970: now)). Run it now instead."
            return question
        }
        question.consequences = ["Once, at \(shown)" + (shown == utc ? "." : ", which is \(utc).")]
        switch time.moment {
        case .skipped:
            question.consequences.append(
                "The clocks skip the time that was typed: this is the first one after.")
        case .repeated: question.consequences.append("The clocks show that time twice: it is the first one.")
        case .once, nil: break
        }
        question.consequences += await ScheduleCampaignAction.keeping(standing, reading)
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        let kept = try await CampaignStore(database: database).reschedule(campaign, to: .once(at), zone: time.zone)
        return ScheduleCampaignAction.step(kept)
    }
}
