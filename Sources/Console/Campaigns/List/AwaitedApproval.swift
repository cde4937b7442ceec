import Store

/// Whose turn it is with a revision that nobody has approved.
enum AwaitedApproval: Sendable, Equatable {
    /// The person who looks may approve it.
    case yours
    /// Somebody else has to.
    case anothers
    /// It was rejected: its owner has to change it.
    case owners

    /// - Parameters:
    ///   - person: who looks.
    ///   - approves: whether that person may approve campaigns.
    init(_ revision: CampaignStore.Unapproved, for person: String, approves: Bool) {
        if (revision.standing ?? "").hasPrefix("rejected by ") {
            self = .owners
        } else {
            // `two`: not by the person who made it.
            self = approves && !(revision.asks == "two" && revision.by == person) ? .yours : .anothers
        }
    }
}
