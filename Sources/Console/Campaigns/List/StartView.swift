import Pages
import Store

/// A time at which a campaign starts itself: in UTC, and on the clock of its schedule.
struct StartView {
    let startCampaign: String
    /// Empty: there is no page of it.
    let startAddress: String
    let startMoment: MomentView
    /// `2027-03-01 09:00:00 Europe/Berlin`
    let startLocal: String

    /// - Returns: nil: no calendar has that time.
    init?(_ start: CampaignStore.Start, for visit: Visit) {
        let seconds = start.at.secondsSince1970
        guard seconds.isFinite else { return nil }
        startCampaign = start.campaign
        startAddress = visit.existing(["campaigns", start.campaign]) ?? ""
        startMoment = MomentView(seconds)
        startLocal = "\(start.local) \(start.zone)"
    }
}
