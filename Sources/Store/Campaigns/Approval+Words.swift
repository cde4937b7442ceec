/// What people read of a revision that is to be approved. Pure.
extension CampaignStore.Approval {
    /// `asks for an approval`
    package var request: String {
        switch asks {
        case "one": "asks for an approval"
        case "two": "asks for the approval of somebody else"
        default: "asks for no approval"
        }
    }

    /// What stands above its changes.
    package func against(_ changes: [CampaignStore.Change]) -> String {
        guard let base else { return "no revision was approved before; it says:" }
        if base == revision {
            return changes.isEmpty ? "nothing changed since then" : "changed since it was approved:"
        }
        return changes.isEmpty ? "it says what revision \(base) says" : "changed since revision \(base):"
    }

    /// Whether runs may send it, as far as approvals go: it has one that still counts.
    package var isApproved: Bool {
        standing?.hasPrefix("approved by ") == true && standing?.contains(", and then ") == false
    }

    package var isRejected: Bool { standing?.hasPrefix("rejected by ") == true }
}
