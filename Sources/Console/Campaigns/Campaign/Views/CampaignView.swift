import Pages
import Store

/// What `/campaigns/NAME` shows: the template `campaign`. What the person may not read is left out, and what could not be read has a
/// banner above the page.
struct CampaignView {
    let campaignState: CampaignStateView
    let campaignActions: CampaignActionsView?
    let campaignRevision: CampaignRevisionView?
    let campaignForecast: CampaignForecastView?
    let campaignPhones: CampaignPhonesView?
    let campaignSchedule: CampaignScheduleView?
    let campaignRuns: CampaignRunsView?
    /// Whether every field of the address could be read.
    let isReadable: Bool

    /// - Parameters:
    ///   - shown: the revision that is shown.
    ///   - fields: of the address.
    init(
        _ campaign: CampaignStore.Campaign, _ shown: Int32, _ rows: CampaignRows, _ fields: FormFields,
        for visit: Visit
    ) {
        let revision = rows.revisions?.value?.first { $0.revision == shown }
        let texts = rows.texts?.value
        let form = PhoneForm(fields, placeholders: (texts?.value ?? []).flatMap(\.content.placeholders))
        campaignState = CampaignStateView(campaign, mayRead: rows.revisions != nil, for: visit)
        campaignRevision = revision.map {
            CampaignRevisionView(campaign, $0, among: rows.revisions?.value ?? [], rows.changes?.value, for: visit)
        }
        campaignForecast = rows.forecast.flatMap { CampaignForecastView($0) }
        // The fields stay where the texts could not be read: nothing typed is lost.
        campaignPhones =
            rows.revisions == nil
            ? nil
            : CampaignPhonesView(
                texts ?? Attempt(value: []), form, address: visit.address("campaigns", campaign.name))
        campaignSchedule = rows.schedule.value.map { CampaignScheduleView(campaign, $0, at: visit.now) }
        campaignRuns = rows.runs.value.map { CampaignRunsView($0, for: visit) }
        campaignActions = CampaignActionsView(
            campaign, revision: shown, hasSchedule: (rows.schedule.value ?? nil) != nil, samples: form.samples,
            for: visit)
        isReadable = form.form.isReadable
    }
}
