import Pages
import Postgres
import PushModel
import Store

/// Keeps runs from sending a revision (`push.reject`).
struct RejectRevisionAction: CampaignAction {
    static let name = "reject-revision"
    static let rights: [Right] = [.approve]

    let campaign: String
    let revision: Int32
    /// Why, for the person who made it.
    let note: String?

    init(campaign: String, revision: Int32) { (self.campaign, self.revision, note) = (campaign, revision, nil) }

    init(_ fields: FormFields) throws(FieldProblem) {
        campaign = try fields.campaignName()
        guard let revision = try fields.revisionNumber() else {
            throw FieldProblem(field: "revision", words: "Which revision? Come from the page of the campaign.")
        }
        self.revision = revision
        note = try fields.note("note", atMost: 2_000)
    }

    var fields: [(name: String, value: String)] {
        [("campaign", campaign), ("revision", "\(revision)")] + (note.map { [("note", $0)] } ?? [])
    }

    var sql: String {
        "SELECT push.reject(\(SQLText.literal(campaign)), \(revision)\(note.map { ", \(SQLText.literal($0))" } ?? ""))"
    }

    var command: String? {
        "fanfare campaign reject \(ShellText.word(campaign)) --revision \(revision)"
            + (note.map { " \(ShellText.option("--note", $0))" } ?? "")
    }

    func question(about standing: CampaignStore.Campaign, _ reading: CampaignReading) async -> Question {
        var question = Question(title: "Reject revision \(revision) of campaign \(campaign)?", verb: "Reject it")
        let revisions = await reading.revisions(with: revision)
        question.troubles = [revisions.trouble].compactMap(\.self)
        guard let approval = revisions.value?.first(where: { $0.revision == revision }) else {
            question.pointless =
                question.troubles.isEmpty
                ? "Campaign \(campaign) has no revision \(revision)." : "The revision could not be read."
            return question
        }
        if approval.isRejected {
            question.pointless = "It is already \(approval.standing ?? "rejected")."
            return question
        }
        question.consequences = [
            "By \(approval.by), at \(HumanFormat.toSeconds(approval.at)).\(approval.isSent ? " It is the one that is sent." : "")",
            "Runs take the newest revision before it that may be sent, until somebody approves it.",
            "A run that has begun goes on: the page of the run stops that.",
        ]
        if let note { question.consequences.append("Its owner reads: \(note.clipped)") }
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        let isNew = try await CampaignStore(database: database).reject(campaign, revision: revision, note: note)
        return isNew ? ActionStep() : ActionStep(changed: 0, remark: "It was rejected already.")
    }
}
