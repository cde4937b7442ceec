import Pages
import Postgres
import PushModel
import Store

/// Lets a campaign start itself again (`push.resume_schedule`).
struct ResumeScheduleAction: CampaignAction {
    static let name = "schedule-resume"

    let campaign: String
    /// Why, for the others.
    let note: String?

    init(campaign: String) { (self.campaign, note) = (campaign, nil) }

    init(_ fields: FormFields) throws(FieldProblem) {
        campaign = try fields.campaignName()
        note = try fields.note("note", atMost: 2_000)
    }

    var fields: [(name: String, value: String)] { [("campaign", campaign)] + (note.map { [("note", $0)] } ?? []) }
    var sql: String {
        "SELECT push.resume_schedule(\(SQLText.literal(campaign))\(note.map { ", \(SQLText.literal($0))" } ?? ""))"
    }
    var command: String? {
        "fanfare schedule resume \(ShellText.word(campaign))"
            + (note.map { " \(ShellText.option("--note", $0))" } ?? "")
    }

    func question(about standing: CampaignStore.Campaign, _ reading: CampaignReading) async -> Question {
        var question = Question(title: "Resume the schedule of campaign \(campaign)?", verb: "Resume the schedule")
        if let unready = Question.unready(standing) {
            question.pointless = unready
        } else if standing.schedulePausedAt == nil {
            question.pointless = "It is not paused (any more)."
        }
        if question.pointless != nil { return question }
        question.consequences = [
            "It starts itself again, from its next time on.",
            "What it missed while it was paused is not made up: fanfare schedule backfill does that.",
            "It was \(standing.scheduleWhy ?? "paused").",
        ]
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        try await CampaignStore(database: database).resumeSchedule(campaign, note: note)
        return ActionStep()
    }
}
