import Pages
import Postgres
import PushModel
import Store

/// Lets runs send a revision, as it was read (`push.approve`).
struct ApproveRevisionAction: CampaignAction {
    static let name = "approve-revision"
    static let rights: [Right] = [.approve]

    let campaign: String
    let revision: Int32
    /// Of what was read: another one is refused.
    let hash: String
    let note: String?

    /// Changes that the question lists.
    static let mostChanges = 20

    init(campaign: String, revision: Int32, hash: String) {
        (self.campaign, self.revision, self.hash, note) = (campaign, revision, hash, nil)
    }

    init(_ fields: FormFields) throws(FieldProblem) {
        campaign = try fields.campaignName()
        guard let revision = try fields.revisionNumber(), let hash = fields["hash"] else {
            throw FieldProblem(
                field: "hash", words: "Which revision, as you have read it? Come from the page of the campaign.")
        }
        (self.revision, self.hash) = (revision, hash)
        note = try fields.note("note", atMost: 2_000)
    }

    var fields: [(name: String, value: String)] {
        [("campaign", campaign), ("revision", "\(revision)"), ("hash", hash)] + (note.map { [("note", $0)] } ?? [])
    }

    var sql: String {
        let texts = [hash] + (note.map { [$0] } ?? [])
        return "SELECT push.approve(\(SQLText.literal(campaign)), \(revision), "
            + texts.map(SQLText.literal).joined(separator: ", ") + ")"
    }

    var command: String? {
        "fanfare campaign approve \(ShellText.word(campaign)) --revision \(revision) --hash \(ShellText.word(hash))"
            + (note.map { " \(ShellText.option("--note", $0))" } ?? "") + " --yes"
    }

    func question(about standing: CampaignStore.Campaign, _ reading: CampaignReading) async -> Question {
        var question = Question(
            title: "Approve revision \(revision) of campaign \(campaign)?", verb: "Approve what has this hash")
        async let read = reading.revisions(with: revision)
        async let changed = reading.changes(of: revision)
        async let forecast = reading.forecast(of: revision)
        let (revisions, changes, found) = (await read, await changed, await forecast)
        question.troubles = [revisions.trouble, changes.trouble].compactMap(\.self)
        guard let approval = revisions.value?.first(where: { $0.revision == revision }), let changes = changes.value
        else {
            question.pointless =
                question.troubles.isEmpty
                ? "Campaign \(campaign) has no revision \(revision)." : "The revision could not be read."
            return question
        }
        question.pointless = pointless(approval, standing, reading.reader.person)
        guard question.pointless == nil else { return question }
        question.consequences = ["By \(approval.by), at \(HumanFormat.toSeconds(approval.at)). It \(approval.request)."]
        question.consequences += Self.words(of: changes, approval)
        question.consequences += Self.words(of: found)
        question.consequences += [
            "Hash \(hash): if it says something else by then, nothing is approved.",
            "Runs send this revision from then on; runs that have begun go on with theirs.",
        ]
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        let isNew = try await CampaignStore(database: database).approve(
            campaign, revision: revision, hash: hash, note: note)
        return isNew ? ActionStep() : ActionStep(changed: 0, remark: "It was approved already.")
    }

    /// Why it would do nothing; nil: it would.
    private func pointless(
        _ approval: CampaignStore.Approval, _ standing: CampaignStore.Campaign, _ person: Person
    ) -> String? {
        if approval.hash != hash {
            return
                "Revision \(revision) is not what you have read any more: its hash is \(approval.hash) now. Read it again."
        }
        if approval.isApproved { return "It is already \(approval.standing ?? "approved")." }
        let reading = RevisionApproval(approval, of: standing, by: person)
        if reading.canApprove { return nil }
        return reading.note ?? Question.unready(standing) ?? "It asks for no approval."
    }

    /// What it changes, one sentence each.
    private static func words(of changes: [CampaignStore.Change], _ approval: CampaignStore.Approval) -> [String] {
        let more = changes.count - mostChanges
        return [approval.against(changes).uppercasedFirst]
            + changes.prefix(mostChanges).map { change in
                "\(change.path): \(change.before?.clipped ?? "nothing") → \(change.after?.clipped ?? "nothing")"
            } + (more > 0 ? ["\(HumanFormat.grouped(more)) more: the page of the campaign has all."] : [])
    }

    /// What the check found, in short.
    private static func words(of forecast: Part<CampaignForecast>) -> [String] {
        guard let found = forecast.value else {
            return ["What a run of it would do is still being worked out: look at the page of the campaign first."]
        }
        guard let findings = found.findings.value else {
            return ["What a run of it would do cannot be worked out: \(found.findings.problem ?? "nobody knows why")"]
        }
        let bad = CampaignForecastView.sorted(findings).filter { $0.level != "info" }
        let counts = ["error", "warning"].compactMap { level in
            let count = findings.count { $0.level == level }
            return count > 0 ? HumanFormat.count(count, level) : nil
        }
        return ["The check found \(counts.isEmpty ? "nothing wrong" : counts.joined(separator: " and "))."]
            + bad.prefix(5).map { "\($0.level), \($0.about): \($0.finding)".clipped }
            + RunReach.words(of: found.plan?.value)
    }
}
