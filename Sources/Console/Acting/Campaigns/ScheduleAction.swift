import Pages
import PushModel

/// What a person does to the schedule of a campaign: one function of schema push, one command, and a note.
protocol ScheduleAction: CampaignAction {
    /// `pause` of `push.pause_schedule` and `fanfare schedule pause`.
    static var verb: String { get }
    /// Why, for the others.
    var note: String? { get }

    init(campaign: String, note: String?)
}

extension ScheduleAction {
    init(campaign: String) { self.init(campaign: campaign, note: nil) }

    init(_ fields: FormFields) throws(FieldProblem) {
        self.init(campaign: try fields.campaignName(), note: try fields.note("note", atMost: 2_000))
    }

    var fields: [(name: String, value: String)] { [("campaign", campaign)] + (note.map { [("note", $0)] } ?? []) }
    var sql: String {
        "SELECT push.\(Self.verb)_schedule(\(SQLText.literal(campaign))\(note.map { ", \(SQLText.literal($0))" } ?? ""))"
    }
    var command: String? {
        "fanfare schedule \(Self.verb) \(ShellText.word(campaign))"
            + (note.map { " \(ShellText.option("--note", $0))" } ?? "")
    }
}
