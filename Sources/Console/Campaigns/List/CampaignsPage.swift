import Pages
import Postgres
import Store

/// `/campaigns`: all campaigns by name, each with its newest run, when it starts itself and what of it waits for an approval; and a
/// week ahead.
struct CampaignsPage: ConsolePage {
    static let place: Place? = .campaigns
    static let rights: [Right] = [.look, .campaigns, .approve]

    let search: CampaignFilter

    /// Starts of the coming week that are shown at most.
    static let starts: Int32 = 200
    static let days: Int32 = 7

    init?(path: [String], fields: FormFields) {
        guard path == Place.campaigns.path else { return nil }
        search = CampaignFilter(fields)
    }

    struct Rows: Sendable {
        /// One more than a page has, where there are more. nil: the filters cannot be read, and nothing was asked.
        var lines: Part<[CampaignStore.Line]>?
        /// One more than are shown, where there are more.
        var ahead: Part<[CampaignStore.Start]>
    }

    func read(_ reader: PageReader) async -> Rows {
        let right = reader.person.first(of: Self.rights)
        // By the minute: a schedule of ten thousand campaigns is looked through.
        async let ahead = reader.part("the coming week", as: right, freshFor: 30) { database throws(DatabaseError) in
            try await CampaignStore(database: database).starts(withinDays: Self.days, limit: Self.starts + 1)
        }
        guard search.form.isReadable else { return Rows(lines: nil, ahead: await ahead) }
        let (filter, name, after) = (search.filter, search.name, search.after)
        let lines = await reader.part("campaigns", of: search.subject, as: right, freshFor: 2) {
            database throws(DatabaseError) in
            try await CampaignStore(database: database).page(
                filter, nameHas: name, after: after, limit: Int32(CampaignFilter.size + 1))
        }
        return Rows(lines: lines, ahead: await ahead)
    }

    func content(of rows: Rows, for visit: Visit) -> PageContent {
        let isReadable = search.form.isReadable
        let role = (visit.person.first(of: Self.rights) ?? .look).role
        let ahead = Elsewhere(
            about: "the coming week",
            sql: """
                SELECT at, local, zone, campaign
                  FROM push.starts_ahead_v1(now() + interval '\(Self.days) days', at_most => \(Self.starts));
                """, role: role)
        return PageContent(
            status: isReadable ? 200 : 400, title: "Campaigns", template: "campaigns",
            view: CampaignsView(search, rows, for: visit),
            troubles: [rows.lines?.trouble, rows.ahead.trouble].compactMap(\.self),
            elsewhere: (isReadable ? [search.elsewhere(as: role)] : []) + [ahead])
    }
}
