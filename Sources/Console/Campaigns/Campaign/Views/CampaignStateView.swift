import Pages
import PushModel
import Store

/// Whether a campaign can be run.
struct CampaignStateView {
    let campaignStateWord: String
    let campaignStateLook: String
    let campaignStateMeans: String
    /// Why the newest revision is not sent; nil: it is, or the person reads no revisions.
    let campaignUnapproved: String?
    let campaignNewest: String
    let campaignRunCount: String
    let campaignTags: String?
    /// nil: the console has no such page, or the person may not see it.
    let campaignEdit: String?

    /// - Parameter mayRead: whether the person may read what it says.
    init(_ campaign: CampaignStore.Campaign, mayRead: Bool, for visit: Visit) {
        campaignStateWord = campaign.state
        (campaignStateLook, campaignStateMeans) =
            switch campaign.state {
            case "draft":
                ("waits", "It is kept, with its mistakes. It cannot be run, and does not start itself.")
            case "archived": ("off", "It was put away: it cannot be run or changed. Its runs and their results stay.")
            default: ("good", "It can be run.")
            }
        campaignUnapproved = mayRead ? campaign.unapproved : nil
        campaignNewest = "revision \(campaign.revision)"
        campaignRunCount = HumanFormat.grouped(campaign.runs)
        campaignTags = campaign.tags.isEmpty ? nil : campaign.tags.joined(separator: ", ")
        campaignEdit =
            mayRead && campaign.state != "archived" ? visit.existing(["campaigns", campaign.name, "edit"]) : nil
    }
}
