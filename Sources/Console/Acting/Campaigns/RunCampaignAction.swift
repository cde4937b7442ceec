import Pages
import Postgres
import PushModel
import Store

/// Starts a campaign once for a key (`push.start_run`).
struct RunCampaignAction: CampaignAction {
    static let name = "run-campaign"

    let campaign: String
    let key: String

    init(_ fields: FormFields) throws(FieldProblem) {
        campaign = try fields.campaignName()
        let key = try fields.required(
            "key", "What is this run called? A key is used once: the date, such as 2027-03-01.")
        guard key.unicodeScalars.count <= 200 else {
            throw FieldProblem(
                field: "key", words: "A key has at most 200 characters; this one has \(key.unicodeScalars.count).")
        }
        self.key = key
    }

    var fields: [(name: String, value: String)] { [("campaign", campaign), ("key", key)] }
    var sql: String {
        "SELECT run, started FROM push.start_run(\(SQLText.literal(campaign)), \(SQLText.literal(key)))"
    }
    var command: String? { "fanfare campaign run \(ShellText.word(campaign)) \(ShellText.option("--key", key))" }

    func question(about standing: CampaignStore.Campaign, _ reading: CampaignReading) async -> Question {
        var question = Question(title: "Run campaign \(campaign) as \(key)?", verb: "Start the run")
        if let unready = Question.unready(standing) {
            question.pointless = unready
            return question
        }
        async let read = reading.revisions(with: nil)
        async let known = reading.run(of: key)
        let (revisions, run) = (await read, await known)
        question.troubles = [revisions.trouble, run.trouble].compactMap(\.self)
        if let run = run.value ?? nil, run.state != .skipped {
            question.pointless =
                "The key \(key) was used: that run is \(run.state.rawValue), by \(run.startedBy). Take another key for another run."
            return question
        }
        guard let sent = revisions.value?.first(where: \.isSent) else {
            question.pointless =
                revisions.value == nil
                ? "Its revisions could not be read."
                : "Nothing is sent: \(standing.unapproved ?? "no revision was approved"). Have one approved first."
            return question
        }
        let forecast = await reading.forecast(of: sent.revision)
        let plan = forecast.value?.plan?.value
        question.consequences = consequences(standing, sent, forecast)
        if !RunReach.isSmall(plan) { question.typed = campaign }
        return question
    }

    private func consequences(
        _ standing: CampaignStore.Campaign, _ sent: CampaignStore.Approval, _ forecast: Part<CampaignForecast>
    ) -> [String] {
        var words = ["Revision \(sent.revision) by \(sent.by) is sent, from now on, once for the key \(key)."]
        if let unapproved = standing.unapproved { words.append("The newest is not sent: \(unapproved).") }
        let reach = RunReach.words(of: forecast.value?.plan?.value)
        words += reach.isEmpty ? ["Whom it reaches is not known: \(Self.why(forecast))"] : reach
        let wrong = (forecast.value?.findings.value ?? []).filter { $0.level != "info" }
        words += wrong.prefix(5).map { "\($0.level), \($0.about): \($0.finding)".clipped }
        return words
    }

    private static func why(_ forecast: Part<CampaignForecast>) -> String {
        guard let found = forecast.value else {
            return "that is still being worked out. The page of the campaign shows it."
        }
        return found.findings.problem ?? found.plan?.problem ?? "the check found mistakes."
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        let isNew = try await CampaignStore(database: database).start(campaign, key: key)
        return ActionStep(
            changed: isNew ? 1 : 0, remark: isNew ? nil : "The key was used before: this is that run.",
            page: ["campaigns", campaign, "runs", key])
    }
}
