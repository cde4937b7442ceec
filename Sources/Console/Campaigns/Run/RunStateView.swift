import Pages
import PushModel
import Store

/// Where a run stands, since when, why, and how far it is. Pure.
struct RunStateView {
    let stateWord: String
    let stateLook: String
    let stateSince: SinceView?
    /// Empty: nothing to say.
    let stateWhy: String
    let stateBar: RunBarView
    let stateCampaign: String
    /// nil: there is no page of it.
    let stateCampaignAddress: String?
    let stateRevision: String
    let stateStarted: SinceView?
    let stateStartedBy: String
    let stateTook: String
    let stateRate: String
    /// When the next zone or window opens; nil: it does not wait for one.
    let stateOpens: UntilView?
    let stateOpensWhat: String
    /// What differs from other runs, one sentence each.
    let stateRemarks: [String]

    init(_ run: RunProgress, for visit: Visit) {
        func since(_ text: String?) -> SinceView? {
            Moment.seconds(text).map { SinceView(secondsSince1970: $0, at: visit.now) }
        }
        stateWord = run.state.rawValue
        stateLook = RunLook.of(run.state).rawValue
        stateSince = since(run.stateSince)
        stateWhy = run.why ?? ""
        stateBar = RunBarView(run)
        stateCampaign = run.campaign
        stateCampaignAddress = visit.existing(["campaigns", run.campaign])
        stateRevision = "revision \(run.revision)"
        stateStarted = since(run.startedAt)
        stateStartedBy = run.startedBy
        stateTook = run.state.isOver ? HumanFormat.duration(run.took) : ""
        stateRate =
            run.rate.map { "at most \(SetRunRateAction.text($0)) messages a second, over all hubs" } ?? "no limit"
        stateOpens = Moment.seconds(run.waitsUntil).map { UntilView(secondsSince1970: $0, at: visit.now) }
        stateOpensWhat = run.waitsFor == "zone" ? "The next time zone opens" : "Its window opens"
        stateRemarks = [
            run.isTest ? "It is a test: it goes to a test audience and is in no count of its campaign." : nil,
            run.bypassesSuppression ? "It reaches suppressed recipients, too." : nil,
        ].compactMap(\.self)
    }
}
