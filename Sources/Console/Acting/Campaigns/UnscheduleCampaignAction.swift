import Pages
import Postgres
import PushModel
import Store

/// Takes the schedule of a campaign away (`push.schedule_campaign`).
struct UnscheduleCampaignAction: CampaignAction {
    static let name = "unschedule-campaign"

    let campaign: String

    init(campaign: String) { self.campaign = campaign }

    init(_ fields: FormFields) throws(FieldProblem) { campaign = try fields.campaignName() }

    var sql: String { "SELECT revision, changed FROM push.schedule_campaign(\(SQLText.literal(campaign)), NULL)" }
    var command: String? { "fanfare schedule set \(ShellText.word(campaign)) --none" }

    func question(about standing: CampaignStore.Campaign, _ reading: CampaignReading) async -> Question {
        var question = Question(
            title: "Take the schedule of campaign \(campaign) away?", verb: "Take the schedule away")
        if standing.state == "archived" {
            question.pointless = Question.unready(standing)
            return question
        }
        question.consequences = [
            "It is kept as a new revision without a schedule. The rest of it stays.",
            "It does not start itself any more; a run that is under way goes on. To stop for a while, pause the schedule instead.",
        ]
        if let newest = await reading.revisions(with: nil).value?.max(by: { $0.revision < $1.revision }),
            newest.asks != "none"
        {
            question.consequences.append(
                "The new revision asks for approval: until it has that, the schedule of before holds.")
        }
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        let kept = try await CampaignStore(database: database).schedule(campaign, nil)
        return ActionStep(
            changed: kept.changed ? 1 : 0,
            remark: kept.changed ? "It is revision \(kept.revision)." : "Its newest revision has no schedule.")
    }
}
