import CommandLineTool
import PushModel
import Store

/// What a reader sees of a revision: what it changes, and what it waits for. Pure.
struct ApprovalScreen {
    let campaign: String
    let approval: CampaignStore.Approval
    let changes: [CampaignStore.Change]
    /// What `fanfare campaign check` says of the revision.
    let findings: [CampaignStore.Finding]

    /// Whose it is and what it waits for, the changes with `-` before and `+` after, what a run would do, and the hash.
    var text: String {
        let checked = findings.map { "  " + $0.text.replacing("\n", with: "\n  ") }
        return
            ([heading, approval.against(changes)] + changes.flatMap(Self.lines)
            + (checked.isEmpty ? [] : ["a run of it:"] + checked)
            + ["hash \(approval.hash)"])
            .joined(separator: "\n")
    }

    private var heading: String {
        let standing = approval.standing.map { "; \($0.onOneLine)" } ?? ""
        return
            "campaign \(campaign), revision \(approval.revision) by \(approval.by.onOneLine) at \(approval.at): "
            + approval.request + standing
    }

    private static func lines(_ change: CampaignStore.Change) -> [String] {
        ["  \(change.path.onOneLine)"]
            + [change.before.map { "    - \($0)" }, change.after.map { "    + \($0)" }]
            .compactMap(\.self)
    }

    /// - Parameter changed: whether this call approved it.
    func json(changed: Bool) -> JSONOutput {
        .object([
            "campaign": .text(campaign), "revision": .number(approval.revision), "by": .text(approval.by),
            "at": .text(approval.at), "asks": .text(approval.asks), "base": .number(approval.base),
            "hash": .text(approval.hash), "changed": .flag(changed),
            "changes": .list(
                changes.map {
                    .object(["path": .text($0.path), "before": .text($0.before), "after": .text($0.after)])
                }),
            "findings": .list(findings.map(\.json)),
        ])
    }
}
