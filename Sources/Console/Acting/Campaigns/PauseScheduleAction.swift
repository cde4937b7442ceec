import Pages
import Postgres
import PushModel
import Store

/// Keeps a campaign from starting itself (`push.pause_schedule`).
struct PauseScheduleAction: ScheduleAction {
    static let name = "schedule-pause"
    static let verb = "pause"

    let campaign: String
    let note: String?

    func question(about standing: CampaignStore.Campaign, _ reading: CampaignReading) async -> Question {
        var question = Question(title: "Pause the schedule of campaign \(campaign)?", verb: "Pause the schedule")
        let schedule = await reading.schedule()
        question.troubles = [schedule.trouble].compactMap(\.self)
        if let unready = Question.unready(standing) {
            question.pointless = unready
        } else if standing.schedulePausedAt != nil {
            question.pointless = "It is already \(standing.scheduleWhy ?? "paused")."
        } else if schedule.trouble == nil, schedule.value ?? nil == nil {
            question.pointless = "It has no schedule."
        }
        if question.pointless != nil { return question }
        question.consequences = [
            "It does not start itself until somebody resumes its schedule, also over restarts.",
            "A run that is under way goes on.",
            standing.nextAt.map { "It would start next at \(HumanFormat.toSeconds($0))." } ?? "No next time is known.",
        ]
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        try await CampaignStore(database: database).pauseSchedule(campaign, note: note)
        return ActionStep()
    }
}
