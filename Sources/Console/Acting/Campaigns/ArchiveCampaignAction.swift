import Pages
import Postgres
import PushModel
import Store

/// Puts a campaign away (`push.archive_campaign`).
struct ArchiveCampaignAction: CampaignAction {
    static let name = "archive-campaign"

    let campaign: String

    init(campaign: String) { self.campaign = campaign }

    init(_ fields: FormFields) throws(FieldProblem) { campaign = try fields.campaignName() }

    var sql: String { "SELECT push.archive_campaign(\(SQLText.literal(campaign)))" }
    var command: String? { "fanfare campaign archive \(ShellText.word(campaign))" }

    func question(about standing: CampaignStore.Campaign, _ reading: CampaignReading) async -> Question {
        var question = Question(title: "Put campaign \(campaign) away?", verb: "Put it away")
        if standing.state == "archived" {
            question.pointless = "It was put away already."
            return question
        }
        if let state = standing.runState, !state.isOver {
            question.pointless =
                "Its run \(standing.lastRun ?? "") is \(state.rawValue): wait for its end, or cancel it."
            return question
        }
        question.consequences = [
            "It is left out of the list, cannot be run or changed, and its schedule does not start it.",
            "Its runs and their results stay. It can be brought back.",
        ]
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        try await CampaignStore(database: database).archive(campaign)
        return ActionStep()
    }
}
