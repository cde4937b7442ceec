import Pages
import Postgres
import PushModel
import Store

/// `/campaigns/new` and `/campaigns/NAME/edit`: what a campaign says and to whom, as a form beside what phones show of it. The form is
/// answered by `WriteResponder`.
struct CampaignWritePage: ConsolePage {
    static let place: Place? = .campaigns
    static let rights: [Right] = [.campaigns]

    /// nil: a new one.
    let campaign: String?

    init?(path: [String], fields: FormFields) {
        switch path.count {
        case 2 where path == ["campaigns", "new"]: campaign = nil
        case 3 where path[0] == "campaigns" && path[2] == "edit": campaign = path[1]
        default: return nil
        }
    }

    enum Rows: Sendable {
        case state(WriteState)
        /// No campaign has the name.
        case missing
        case unread(Trouble)
    }

    func read(_ reader: PageReader) async -> Rows {
        async let choices = WriteChoices.read(reader)
        guard let campaign else {
            return .state(WriteState(campaign: nil, post: WritePost(), choices: await choices))
        }
        switch await Self.written(campaign, reader, freshFor: 1) {
        case .unread(let trouble): return .unread(trouble)
        case .read(nil): return .missing
        case .read(let written?):
            let look = SpecLook.hasContent(written.spec) ? await look(at: campaign, written.spec, reader) : nil
            return .state(
                WriteState(
                    campaign: campaign, post: WritePost(written), choices: await choices, written: written, look: look))
        }
    }

    /// - Parameters:
    ///   - revision: nil: the newest.
    ///   - seconds: how old it may be. Default 0, for who is about to write.
    static func written(
        _ campaign: String, revision: Int32? = nil, _ reader: PageReader, freshFor seconds: Double = 0
    ) async -> Part<CampaignStore.Written?> {
        await reader.part("campaign", of: "\(revision ?? 0) \(campaign)", as: .campaigns, freshFor: seconds) {
            database throws(DatabaseError) in
            try await CampaignStore(database: database).written(campaign, revision: revision)
        }
    }

    private func look(at campaign: String, _ spec: String, _ reader: PageReader) async -> SpecLook {
        let part = await reader.part("what phones show", of: campaign, as: .campaigns, freshFor: 1) {
            database throws(DatabaseError) in
            try await DatabaseError.only(doing: "show campaign \"\(campaign)\"") {
                try await SpecLook.at(
                    CampaignStore(database: database).texts(of: campaign), of: spec, database)
            }
        }
        switch part {
        case .read(let look): return look
        case .unread(let trouble): return SpecLook(troubles: [trouble])
        }
    }

    func content(of rows: Rows, for visit: Visit) -> PageContent {
        switch rows {
        case .state(let state): Self.content(of: state, for: visit)
        case .missing:
            PageContent(
                status: 404, title: "No such campaign", template: "notice",
                view: NoticeView("There is no campaign \((campaign ?? "").quoted).", for: visit), liveSeconds: nil)
        case .unread(let trouble):
            PageContent(
                title: "Campaign \((campaign ?? "").onOneLine)", template: "notice",
                view: NoticeView("What this campaign says is not known.", for: visit), liveSeconds: nil,
                troubles: [trouble])
        }
    }

    static func content(of state: WriteState, for visit: Visit) -> PageContent {
        PageContent(
            title: state.campaign.map { "Edit campaign \($0.onOneLine)" } ?? "New campaign", template: "write",
            view: WriteView(state, for: visit), liveSeconds: nil, troubles: state.troubles,
            elsewhere: [elsewhere(state.campaign)])
    }

    private static func elsewhere(_ campaign: String?) -> Elsewhere {
        guard let campaign else {
            return Elsewhere(
                about: "campaigns that there are",
                sql: "SELECT name, state, revision FROM push.campaigns ORDER BY name;",
                role: "push_campaign", command: "fanfare campaign list")
        }
        return Elsewhere(
            sql: """
                SELECT r.spec
                  FROM push.campaign c
                       JOIN push.campaign_revision r ON r.campaign = c.id AND r.revision = c.revision
                 WHERE c.name = \(SQLText.literal(campaign));
                """, role: "push_campaign", command: "fanfare campaign export \(ShellText.word(campaign))")
    }
}
