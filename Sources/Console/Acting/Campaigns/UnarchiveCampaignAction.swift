import Pages
import Postgres
import PushModel
import Store

/// Brings a campaign back that was put away (`push.unarchive_campaign`).
struct UnarchiveCampaignAction: CampaignAction {
    static let name = "unarchive-campaign"

    let campaign: String

    init(campaign: String) { self.campaign = campaign }

    init(_ fields: FormFields) throws(FieldProblem) { campaign = try fields.campaignName() }

    var sql: String { "SELECT push.unarchive_campaign(\(SQLText.literal(campaign)))" }
    var command: String? { "fanfare campaign unarchive \(ShellText.word(campaign))" }

    func question(about standing: CampaignStore.Campaign, _ reading: CampaignReading) async -> Question {
        var question = Question(title: "Bring campaign \(campaign) back?", verb: "Bring it back")
        if standing.state != "archived" {
            question.pointless = "It is not put away (any more): it is \(standing.state)."
            return question
        }
        question.consequences = [
            "It is what it was: a draft, or ready.",
            "Its schedule goes on from its next time; what it missed is not made up.",
        ]
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        try await CampaignStore(database: database).unarchive(campaign)
        return ActionStep()
    }
}
