import Pages
import Postgres
import PushModel
import Store

/// What actions on a campaign have in common: its name as a field, and a look at it before the question.
protocol CampaignAction: ConsoleAction {
    var campaign: String { get }

    /// The statement that does it, for people.
    var sql: String { get }
    /// The command that does it; nil: there is none.
    var command: String? { get }

    /// - Parameters:
    ///   - standing: of the campaign, a moment ago.
    ///   - reading: for what else the question says.
    func question(about standing: CampaignStore.Campaign, _ reading: CampaignReading) async -> Question
}

extension CampaignAction {
    static var rights: [Right] { CampaignPage.owners }
    var fields: [(name: String, value: String)] { [("campaign", campaign)] }
    var page: [String] { ["campaigns", campaign] }

    func question(_ reader: PageReader) async -> Question {
        let right = reader.person.first(of: Self.rights)
        let standing = await reader.part("campaign", of: campaign, as: right, freshFor: 0) {
            [campaign] database throws(DatabaseError) in
            try await CampaignStore(database: database).campaign(campaign)
        }
        switch standing {
        case .unread(let trouble):
            var question = Question(
                title: "Campaign \(campaign)", verb: "", pointless: "The campaign could not be looked at.")
            question.troubles = [trouble]
            return question
        case .read(nil):
            return Question(title: "Campaign \(campaign)", verb: "", pointless: "No campaign has this name (any more).")
        case .read(let standing?):
            var question = await question(
                about: standing, CampaignReading(reader: reader, name: campaign, isForQuestion: true))
            question.elsewhere = [
                Elsewhere(sql: sql, role: (right ?? Self.rights[0]).role, command: command)
            ]
            return question
        }
    }
}

extension FormFields {
    /// The campaign that an action is about.
    func campaignName() throws(FieldProblem) -> String {
        try required("campaign", "Which campaign? Come from the page of the campaign.")
    }

    /// A revision as a number.
    ///
    /// - Returns: nil: the field is empty.
    func revisionNumber() throws(FieldProblem) -> Int32? {
        guard let text = self["revision"] else { return nil }
        guard let number = Int32(text), number > 0 else {
            throw FieldProblem(field: "revision", words: "\(text.quoted) is no number of a revision.")
        }
        return number
    }
}

extension Question {
    /// Of a campaign that is put away or a draft; nil: it is ready.
    static func unready(_ campaign: CampaignStore.Campaign) -> String? {
        switch campaign.state {
        case "ready": nil
        case "draft": "It is a draft: make it ready first."
        case "archived": "It was put away: bring it back first."
        default: "It is \(campaign.state)."
        }
    }
}
