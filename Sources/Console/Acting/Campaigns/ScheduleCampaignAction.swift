import Campaigns
import Concurrency
import Pages
import Postgres
import PushModel
import Store

/// Lets a campaign start itself (`push.schedule_campaign`).
struct ScheduleCampaignAction: CampaignAction {
    static let name = "schedule-campaign"

    let campaign: String
    /// As it was typed: days and times in words, or a cron line.
    let text: String
    private let line: CronLine
    private let zone: String
    private let rules: TimeZoneFile

    /// - Throws: `FieldProblem` for a schedule or a zone that cannot be read: nothing is guessed.
    init(_ fields: FormFields) throws(FieldProblem) {
        campaign = try fields.campaignName()
        let words = "When? Such as weekdays 09:00, Mon,Thu 09:30, 1st 08:00 or 0 9 * * 1-5."
        let typed = try fields.required("schedule", words)
        let read: ScheduleText
        do throws(CronLineError) {
            read = try ScheduleText(parsing: typed)
        } catch {
            throw FieldProblem("schedule", "\(typed.clipped.quoted): \(error)", error.hint)
        }
        if let named = read.zone, let other = fields["zone"], named != other {
            throw FieldProblem(field: "zone", words: "Two zones are given: \(named) and \(other.clipped). Give one.")
        }
        guard let name = read.zone ?? fields["zone"] else {
            throw FieldProblem(field: "zone", words: "In which time zone? Such as Europe/Berlin, or UTC.")
        }
        do throws(TimeZoneError) {
            rules = try TimeZones().named(name)
        } catch {
            throw FieldProblem("zone", "\(error)", error.hint)
        }
        line = read.line
        zone = name
        text = read.zone == nil ? "\(typed) \(name)" : typed
    }

    var fields: [(name: String, value: String)] { [("campaign", campaign), ("schedule", text)] }
    var sql: String {
        "SELECT revision, changed FROM push.schedule_campaign(\(SQLText.literal(campaign)), to_json(\(SQLText.literal("\(line) \(zone)"))::text)) -- without the other members of its schedule"
    }
    var command: String? { "fanfare schedule set \(ShellText.word(campaign)) \(ShellText.word("\(line) \(zone)"))" }

    func question(about standing: CampaignStore.Campaign, _ reading: CampaignReading) async -> Question {
        var question = Question(title: "Let campaign \(campaign) start itself?", verb: "Keep the schedule")
        if standing.state == "archived" {
            question.pointless = Question.unready(standing)
            return question
        }
        let now = Int(SystemClock.wallSeconds())
        let preview = SchedulePreview(line, zone: zone, rules: rules, after: now, count: CampaignScheduleView.shown)
        question.consequences = ["\(preview.words.uppercasedFirst) (cron: \(line))."]
        question.consequences += preview.times.map { time in
            "\(time.shown), which is \(time.utc)" + (time.skipped.map { ": the clocks skip \($0)" } ?? "")
        }
        question.consequences += preview.remarks
        question.consequences += await Self.keeping(standing, reading)
        return question
    }

    /// How a schedule is kept, and why the campaign does not start itself by it yet.
    static func keeping(_ standing: CampaignStore.Campaign, _ reading: CampaignReading) async -> [String] {
        var words = [
            "It is kept as a new revision. The other members of its schedule stay, such as jitter, and so does the rest of it."
        ]
        let revisions = await reading.revisions(with: nil).value
        if standing.state == "draft" { words.append("It is a draft: it does not start itself before it is ready.") }
        if standing.schedulePausedAt != nil {
            words.append("Its schedule is paused, and stays so until it is resumed.")
        }
        if let newest = revisions?.max(by: { $0.revision < $1.revision }), newest.asks != "none" {
            words.append("The new revision asks for approval: until it has that, the schedule of before holds.")
        }
        return words
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        let kept = try await CampaignStore(database: database).reschedule(campaign, to: .cron("\(line)"), zone: zone)
        return Self.step(kept)
    }

    static func step(_ kept: (revision: Int32, changed: Bool)) -> ActionStep {
        ActionStep(
            changed: kept.changed ? 1 : 0,
            remark: kept.changed ? "It is revision \(kept.revision)." : "It had that schedule already.")
    }
}
