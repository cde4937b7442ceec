import PushModel
import Store

/// What a person can decide about a revision. Pure: the database decides in the end, and the page hides what it would refuse.
struct RevisionApproval: Sendable, Equatable {
    let canApprove: Bool
    let canReject: Bool
    /// Why it cannot be approved, in a sentence; nil: it can, or there is nothing to approve.
    let note: String?

    init(_ revision: CampaignStore.Approval, of campaign: CampaignStore.Campaign, by person: Person) {
        let isOpen = campaign.state != "archived"
        let isWanted = !revision.isApproved && (revision.asks != "none" || revision.isRejected)
        let isOwn = revision.asks == "two" && Self.isSame(revision.by, person.name)
        canApprove = isOpen && isWanted && !isOwn
        canReject = isOpen && !revision.isRejected
        note =
            isOpen && isWanted && isOwn
            ? "You made revision \(revision.revision), and it asks for the approval of somebody else: send them the address of "
                + "this page."
            : nil
    }

    /// As `push_internal.may_be_one`: case does not make two people.
    private static func isSame(_ one: String, _ other: String) -> Bool { one.lowercased() == other.lowercased() }
}
