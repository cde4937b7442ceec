import PushModel

/// An address of a run that does not exist: the template `no-run`. Pure.
struct NoRunView {
    let soughtRun: String
    let soughtCampaign: String
    /// Whether there is a campaign of that name.
    let hasCampaign: Bool
    /// nil: it was never started.
    let newestKey: String?
    let newestAddress: String
    let listAddress: String

    /// - Parameter newest: of the campaign; nil: not known, or no campaign can have that name.
    init(_ run: RunReference, _ newest: (exists: Bool, key: String?)?, for visit: Visit) {
        soughtRun = run.key.quoted
        soughtCampaign = run.campaign.quoted
        hasCampaign = newest?.exists ?? false
        newestKey = newest?.key
        newestAddress =
            newest?.key.map { visit.address("campaigns", run.campaign, "runs", $0) } ?? ""
        listAddress = visit.address("campaigns")
    }
}
