import Pages
import PushModel
import Store

/// The newest runs of a campaign. Pure.
struct CampaignRunsView {
    struct Run {
        let runRow: RunRowView
        let runBegan: MomentView?
        let runBy: String
        let runRevision: String
        let runIsTest: Bool
    }

    let hasRuns: Bool
    let campaignRunList: [Run]
    let runsCaption: String

    init(_ runs: [RunProgress], for visit: Visit) {
        hasRuns = !runs.isEmpty
        campaignRunList = runs.map { run in
            Run(
                runRow: RunRowView(run, for: visit), runBegan: Moment.seconds(run.startedAt).map { MomentView($0) },
                runBy: run.startedBy, runRevision: "\(run.revision)", runIsTest: run.isTest)
        }
        runsCaption =
            runs.count < Int(CampaignRows.mostRuns)
            ? "All \(HumanFormat.count(runs.count, "run")), with tests"
            : "The newest \(runs.count) runs, with tests"
    }
}
