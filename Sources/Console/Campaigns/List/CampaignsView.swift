import Pages
import PushModel
import Store

/// What `/campaigns` shows: the template `campaigns`. Pure.
struct CampaignsView {
    struct Found {
        let lines: [CampaignLineView]
        let hasLines: Bool
        let foundWords: String
        let firstAddress: String?
        let nextAddress: String?
    }

    let filters: FilterFormView
    /// nil: there is no such page, or the person may not write campaigns.
    let newAddress: String?
    /// nil: nothing was looked for, or it could not be read.
    let found: Found?
    /// nil: it could not be read.
    let ahead: WeekAheadView?

    init(_ search: CampaignFilter, _ rows: CampaignsPage.Rows, for visit: Visit) {
        filters = FilterFormView(search.form, address: visit.address("campaigns"))
        newAddress = visit.canAct(.campaigns) ? visit.existing(["campaigns", "new"]) : nil
        found = rows.lines?.value.map { Self.found($0, search, visit) }
        ahead = rows.ahead.value.map { WeekAheadView($0, for: visit) }
    }

    private static func found(
        _ read: [CampaignStore.Line], _ search: CampaignFilter, _ visit: Visit
    ) -> Found {
        let lines = read.prefix(CampaignFilter.size)
        let hasMore = read.count > lines.count
        func address(after: String?) -> String {
            visit.address("campaigns", fields: search.form.query(after: after))
        }
        return Found(
            lines: lines.map { CampaignLineView($0, for: visit) }, hasLines: !lines.isEmpty,
            foundWords: words(lines.count, hasMore: hasMore, after: search.after),
            firstAddress: search.after == nil ? nil : address(after: nil),
            nextAddress: hasMore ? lines.last.map { address(after: $0.campaign.name) } : nil)
    }

    /// Of what the page shows.
    static func words(_ count: Int, hasMore: Bool, after: String?) -> String {
        let campaigns = HumanFormat.count(count, "campaign")
        switch (count, after) {
        case (0, nil): return "No campaign with these filters."
        case (0, let after?): return "No campaign comes behind \(after.quoted)."
        case (_, nil): return hasMore ? "The first \(campaigns) by name." : "\(campaigns) in all with these filters."
        case (_, let after?): return "\(campaigns) behind \(after.quoted)\(hasMore ? "" : ", the last ones")."
        }
    }
}
