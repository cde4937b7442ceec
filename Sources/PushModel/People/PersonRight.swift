/// What a person may do in the console. Each right is a role that exists in PostgreSQL (docs/operations.md): the database decides,
/// the console only hides what would fail.
public enum PersonRight: String, Sendable, CaseIterable {
    /// Sees hubs, messages, workers and what was done.
    case look
    /// Pauses and opens hubs, tries messages again, cancels and decides them.
    case operate
    /// Writes, shows, schedules, starts and stops campaigns.
    case campaigns
    /// Approves campaigns, or rejects them.
    case approve

    /// The role that a transaction sets for it.
    public var role: String {
        switch self {
        case .look: "push_monitor"
        case .operate: "push_operator"
        case .campaigns: "push_campaign"
        case .approve: "push_approve"
        }
    }
}
