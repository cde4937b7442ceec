import Pages
import PushModel
import Store

/// One run under way.
struct RunRowView {
    let runName: String
    let runCampaign: String
    /// Empty: there is no page of it.
    let runAddress: String
    let runState: String
    /// Of the badge.
    let runClass: String
    let runWhy: SentenceView?
    let runBar: RunBarView
    let runResults: String

    init(_ run: RunProgress, for visit: Visit) {
        runName = run.key
        runCampaign = run.campaign
        runAddress = visit.existing(["campaigns", run.campaign, "runs", run.key]) ?? ""
        runState = run.state.rawValue
        runClass = RunLook.of(run.state).rawValue
        let opens = run.waitsUntil.map { "the next \(run.waitsFor ?? "window") opens at \(HumanFormat.toSeconds($0))" }
        runWhy = SentenceView(orNil: [run.why, opens].compactMap(\.self).joined(separator: "; "))
        runBar = RunBarView(run)
        runResults = [
            "\(HumanFormat.grouped(run.accepted)) accepted",
            run.rejected > 0 ? "\(HumanFormat.grouped(run.rejected)) rejected" : nil,
            run.expired > 0 ? "\(HumanFormat.grouped(run.expired)) expired" : nil,
            run.inDoubt > 0 ? "\(HumanFormat.grouped(run.inDoubt)) in doubt" : nil,
            run.leftOut > 0 ? "\(HumanFormat.grouped(run.leftOut)) left out" : nil,
        ].compactMap(\.self).joined(separator: ", ")
    }
}
