import Pages
import Postgres
import PushModel
import Store

/// Lets a campaign start itself again (`push.resume_schedule`).
struct ResumeScheduleAction: ScheduleAction {
    static let name = "schedule-resume"
    static let verb = "resume"

    let campaign: String
    let note: String?

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
