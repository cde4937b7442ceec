import Pages
import Postgres
import PushModel
import Store

/// `/campaigns/NAME`: what a campaign sends, who agreed to that, what a run would do, and what its runs did. With `?revision=N` it
/// shows that revision: the link for those who approve.
struct CampaignPage: ConsolePage {
    static let place: Place? = .campaigns
    /// Those who may only look see its state, its schedule and its runs.
    static let rights: [Right] = [.campaigns, .approve, .look]
    /// Who may read what it says.
    static let readers: [Right] = [.campaigns, .approve]
    /// Who may test, run, schedule it and put it away (`push.function_rights`).
    static let owners: [Right] = [.campaigns, .operate]

    let name: String
    let fields: FormFields
    let revision: AskedRevision

    init?(path: [String], fields: FormFields) {
        guard path.count == 2, path[0] == Place.campaigns.rawValue else { return nil }
        name = path[1]
        self.fields = fields
        revision = AskedRevision(fields["revision"])
    }

    func read(_ reader: PageReader) async -> CampaignRows {
        await CampaignReading(reader: reader, name: name).rows(asked: revision.number)
    }

    func content(of rows: CampaignRows, for visit: Visit) -> PageContent {
        guard case .read(let campaign?) = rows.campaign else {
            if let trouble = rows.campaign.trouble {
                return PageContent(
                    title: "Campaign \(name.onOneLine)", template: "notice",
                    view: NoticeView("This campaign could not be looked at.", for: visit), troubles: [trouble])
            }
            return missing("No such campaign", "There is no campaign \(name.quoted).", visit)
        }
        let shown = revision.number ?? campaign.revision
        if let wrong = revision.problem(among: rows) {
            return missing("No such revision", "Campaign \(name): \(wrong)", visit)
        }
        let view = CampaignView(campaign, shown, rows, fields, for: visit)
        return PageContent(
            status: view.isReadable ? 200 : 400, title: "Campaign \(name)", template: "campaign", view: view,
            troubles: rows.troubles, elsewhere: CampaignElsewhere.all(of: name, shown, for: visit.person))
    }

    private func missing(_ title: String, _ words: String, _ visit: Visit) -> PageContent {
        PageContent(
            status: 404, title: title, template: "notice", view: NoticeView(words, for: visit), liveSeconds: nil)
    }
}
