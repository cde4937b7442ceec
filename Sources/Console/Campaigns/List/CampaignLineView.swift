import Pages
import PushModel
import Store

/// One line of the table of campaigns. Pure.
struct CampaignLineView {
    let lineName: String
    /// Empty: there is no page of it.
    let lineAddress: String
    let lineTags: String
    let lineState: String
    let lineLook: String
    let lineRevision: String
    /// nil: it was never started.
    let lineRun: RunLine?
    /// The next time; nil: it does not start itself, or that time is not known yet.
    let lineNext: StartView?
    /// Those behind it.
    let lineLater: [StartView]
    let hasLater: Bool
    /// Why its schedule stands, or what it has to say.
    let lineSchedule: SentenceView?
    /// nil: nothing of it waits for an approval.
    let lineApproval: Approval?

    struct RunLine {
        let runKey: String
        let runAddress: String
        let runState: String
        let runLook: String
        let runResults: String
        let runWhy: SentenceView?
    }

    struct Approval {
        let approvalWords: String
        let approvalLook: String
        let approvalWhy: String
    }

    init(_ line: CampaignStore.Line, for visit: Visit) {
        let campaign = line.campaign
        lineName = campaign.name
        lineAddress = visit.existing(["campaigns", campaign.name]) ?? ""
        lineTags = campaign.tags.joined(separator: " ")
        lineState = campaign.state
        lineLook = RunLook.of(campaign: campaign.state).rawValue
        lineRevision = "revision \(campaign.revision)"
        lineRun = Self.run(campaign, visit)
        let starts = line.starts.compactMap { StartView($0, for: visit) }
        lineNext = starts.first
        lineLater = Array(starts.dropFirst())
        hasLater = starts.count > 1
        lineSchedule = SentenceView(
            orNil: [
                campaign.schedulePausedAt.map { "paused since \(HumanFormat.toSeconds($0))" }, campaign.scheduleWhy,
            ].compactMap(\.self).joined(separator: ": "))
        lineApproval = Self.approval(line, visit)
    }

    private static func run(_ campaign: CampaignStore.Campaign, _ visit: Visit) -> RunLine? {
        guard let key = campaign.lastRun, let state = campaign.runState else { return nil }
        let counts: [(Int64?, String)] = [
            (campaign.accepted, "accepted"), (campaign.rejected, "rejected"), (campaign.inDoubt, "in doubt"),
        ]
        return RunLine(
            runKey: key, runAddress: visit.existing(["campaigns", campaign.name, "runs", key]) ?? "",
            runState: state.rawValue, runLook: RunLook.of(state).rawValue,
            runResults: counts.compactMap { count, word in
                count.flatMap { $0 > 0 || word == "accepted" ? "\(HumanFormat.grouped($0)) \(word)" : nil }
            }.joined(separator: ", "), runWhy: SentenceView(orNil: campaign.why))
    }

    private static func approval(_ line: CampaignStore.Line, _ visit: Visit) -> Approval? {
        guard let unapproved = line.campaign.unapproved else { return nil }
        guard let revision = line.awaited else {
            return Approval(approvalWords: "not approved", approvalLook: "waits", approvalWhy: unapproved)
        }
        let turn = AwaitedApproval(revision, for: visit.person.name, approves: visit.person.may(.approve))
        let (words, look) =
            switch turn {
            case .yours: ("waits for your approval", StateLook.waits)
            case .anothers: ("waits for an approval", .waits)
            case .owners: ("rejected", .bad)
            }
        // That it is not approved is said by the campaign, with what is sent instead.
        let standing = revision.standing == "not approved" ? nil : revision.standing
        return Approval(
            approvalWords: words, approvalLook: look.rawValue,
            approvalWhy: "by \(revision.by): " + [standing, unapproved].compactMap(\.self).joined(separator: "; "))
    }
}
