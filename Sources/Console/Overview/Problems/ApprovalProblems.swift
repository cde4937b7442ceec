import PushModel
import Store

/// Campaigns that are not sent until somebody approved them.
enum ApprovalProblems {
    static func of(_ rows: OverviewRows, for person: String) -> [Problem] {
        guard let approvals = rows.approvals else { return counted(rows) }
        return (approvals.value ?? []).compactMap { waiting($0, for: person) }
    }

    /// What waits for this person. What was rejected waits for its owner.
    private static func waiting(_ revision: CampaignStore.Unapproved, for person: String) -> Problem? {
        let turn = AwaitedApproval(revision, for: person, approves: true)
        guard turn != .owners else { return nil }
        return Problem(
            kind: .approval, severity: .decision, since: Moment.seconds(revision.at),
            what: turn == .yours
                ? "Campaign \(revision.campaign) waits for your approval"
                : "Campaign \(revision.campaign) waits for another person's approval",
            why: "revision \(revision.revision) by \(revision.by): \(revision.standing ?? "nobody has approved it")",
            todo: turn == .yours
                ? "Read what it changes, then decide: fanfare campaign approve \(revision.campaign)"
                : "You made it: somebody else has to read and approve it.",
            link: .campaign(revision.campaign))
    }

    /// For those who do not approve: how many.
    private static func counted(_ rows: OverviewRows) -> [Problem] {
        guard let count = rows.pulse.value?.pulse.campaignsUnapproved, count > 0 else { return [] }
        return [
            Problem(
                kind: .approval, severity: .decision,
                what: "\(HumanFormat.count(count, "campaign")) \(count == 1 ? "waits" : "wait") for an approval",
                why: "the newest revision is not sent, because nobody approved it",
                todo: "Ask somebody who may: fanfare campaign list --state unapproved",
                link: .init(path: ["campaigns"], fields: ["state": "unapproved"], name: "Campaigns"))
        ]
    }
}
