import Store

/// What the page of one campaign reads. What the person may not read is nil.
struct CampaignRows: Sendable {
    /// nil: no campaign has that name.
    var campaign: Part<CampaignStore.Campaign?>
    /// The newest first.
    var runs: Part<[RunProgress]> = .read([])
    /// nil: it does not start itself.
    var schedule: Part<CampaignStore.ScheduleInForce?> = .read(nil)
    /// The one that is sent and the one that was asked for, then the newest.
    var revisions: Part<[CampaignStore.Approval]>?
    /// Of the revision that is shown, against the last one that was agreed on.
    var changes: Part<[CampaignStore.Change]>?
    /// What a run of the revision that is shown would do. Unread: it is still being worked out.
    var forecast: Part<CampaignForecast>?
    var texts: Part<Attempt<[CampaignTexts]>>?

    /// Runs that are listed.
    static let mostRuns: Int32 = 20

    /// Why parts are missing. A forecast that takes its time says so in its own place.
    var troubles: [Trouble] {
        [
            runs.trouble, schedule.trouble, revisions?.trouble, changes?.trouble, forecast?.trouble, texts?.trouble,
        ].compactMap(\.self).filter { !($0.part == CampaignReading.forecast && $0.kind == .tookTooLong) }
    }
}
