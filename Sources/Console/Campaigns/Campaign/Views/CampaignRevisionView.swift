import Pages
import PushModel
import Store

/// The revision that is shown: whose it is, who agreed to it, and what it changes; beside it the one that is sent. Pure.
struct CampaignRevisionView {
    /// One line of facts.
    struct Line {
        let revisionName: String
        let revisionRole: String
        let revisionAddress: String
        let revisionBy: String
        let revisionAt: MomentView?
        let revisionStanding: String
        let revisionLook: String
        let revisionHash: String
    }

    struct Change {
        let changePath: String
        let changeBefore: Value?
        let changeAfter: Value?
    }

    struct Value {
        let valueText: String
        /// Of a value that is folded; nil: it is short.
        let valueBeginning: String?
    }

    /// The one that is shown, then the one that is sent, the newest, and others.
    let revisionLines: [Line]
    let changesHeading: String?
    let changes: [Change]
    /// nil: all are listed.
    let changesMore: String?
    /// Why the person cannot approve it; nil: see the buttons.
    let approvalNote: String?
    let approvalButtons: [ActionLink]
    let hasApproval: Bool

    /// Characters of a value that stands unfolded.
    static let longest = 200
    /// Changes that are listed.
    static let most = 200

    /// - Parameters:
    ///   - all: the revisions that were read.
    ///   - changes: nil: they could not be read.
    init(
        _ campaign: CampaignStore.Campaign, _ shown: CampaignStore.Approval, among all: [CampaignStore.Approval],
        _ changes: [CampaignStore.Change]?, for visit: Visit
    ) {
        let others = all.filter { $0.revision != shown.revision }
        let sorted =
            [shown] + others.filter(\.isSent) + others.filter { !$0.isSent }.sorted { $0.revision > $1.revision }
        revisionLines = sorted.map { Self.line($0, shown, campaign, visit) }
        changesHeading = changes.map { shown.against($0).uppercasedFirst }
        self.changes = (changes ?? []).prefix(Self.most).map {
            Change(
                changePath: $0.path, changeBefore: $0.before.map(Self.value), changeAfter: $0.after.map(Self.value))
        }
        let more = (changes?.count ?? 0) - Self.most
        changesMore = more > 0 ? HumanFormat.grouped(more) : nil
        let reading = RevisionApproval(shown, of: campaign, by: visit.person)
        approvalNote = visit.person.may(.approve) ? reading.note : nil
        var buttons: [ActionLink?] = []
        if reading.canApprove {
            buttons.append(
                ActionLink(
                    ApproveRevisionAction(campaign: campaign.name, revision: shown.revision, hash: shown.hash),
                    "Approve revision \(shown.revision)", for: visit))
        }
        if reading.canReject {
            buttons.append(
                ActionLink(
                    RejectRevisionAction(campaign: campaign.name, revision: shown.revision),
                    "Reject revision \(shown.revision)", for: visit))
        }
        approvalButtons = buttons.compactMap(\.self)
        hasApproval = !approvalButtons.isEmpty || approvalNote != nil
    }

    private static func line(
        _ one: CampaignStore.Approval, _ shown: CampaignStore.Approval, _ campaign: CampaignStore.Campaign,
        _ visit: Visit
    ) -> Line {
        let roles = [
            one.revision == shown.revision ? "shown" : nil, one.isSent ? "sent" : nil,
            one.revision == campaign.revision ? "newest" : nil,
        ].compactMap(\.self)
        return Line(
            revisionName: "revision \(one.revision)", revisionRole: roles.joined(separator: ", "),
            revisionAddress: visit.address(
                "campaigns", campaign.name, fields: [("revision", "\(one.revision)")]),
            revisionBy: one.by, revisionAt: Moment.seconds(one.at).map { MomentView($0) },
            revisionStanding: one.standing ?? one.request, revisionLook: look(of: one).rawValue,
            revisionHash: one.hash)
    }

    private static func look(of one: CampaignStore.Approval) -> StateLook {
        if one.isApproved { return .good }
        if one.isRejected { return .bad }
        return one.standing == nil ? .off : .waits
    }

    private static func value(_ text: String) -> Value {
        Value(
            valueText: text,
            valueBeginning: text.count > longest
                ? "\(text.prefix(80))… (\(HumanFormat.grouped(text.count)) characters)" : nil)
    }
}
