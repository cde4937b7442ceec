import PushModel
import Store

/// One run under way.
struct RunRowView {
    let runName: String
    let runCampaign: String
    /// Empty: there is no page of it.
    let runAddress: String
    let runState: String
    /// Of the badge: `good`, `waits` or `off`.
    let runClass: String
    let runWhy: String
    /// Of `runTotal`; both for the bar.
    let runDone: Int64
    let runTotal: Int64
    /// Whether it is known of how many.
    let isRunMeasured: Bool
    /// `1,200 of about 4,000 messages ended`
    let runWords: String
    /// `120/s, about 4 min`; empty: it does not run.
    let runPace: String
    let runResults: String

    init(_ run: RunProgress, for visit: Visit) {
        runName = run.key
        runCampaign = run.campaign
        runAddress = visit.existing(["campaigns", run.campaign, "runs", run.key]) ?? ""
        runState = run.state.rawValue
        runClass =
            switch run.state {
            case .running: "good"
            case .canary, .waiting, .cancelling: "waits"
            default: "off"
            }
        let opens = run.waitsUntil.map { "the next \(run.waitsFor ?? "window") opens at \(HumanFormat.toSeconds($0))" }
        runWhy = [run.why, opens].compactMap(\.self).joined(separator: "; ")
        let ended = run.accepted + run.rejected + run.expired + run.cancelled + run.inDoubt + run.leftOut
        runDone = ended
        runTotal = max(run.total ?? 0, ended)
        isRunMeasured = run.total != nil && runTotal > 0
        runWords =
            isRunMeasured
            ? "\(HumanFormat.grouped(ended)) of \(run.isExpanded ? "" : "about ")\(HumanFormat.grouped(runTotal)) recipients"
            : "\(HumanFormat.grouped(ended)) recipients, of how many is not known yet"
        var pace: [String] = []
        if run.state == .running {
            if run.perSecond > 0 { pace.append("\(HumanFormat.rate(run.perSecond))/s") }
            if let rate = run.rate { pace.append("at most \(HumanFormat.rate(rate))/s") }
            if let eta = run.eta { pace.append("about \(HumanFormat.duration(eta)) left") }
        }
        runPace = pace.joined(separator: ", ")
        runResults = [
            "\(HumanFormat.grouped(run.accepted)) accepted",
            run.rejected > 0 ? "\(HumanFormat.grouped(run.rejected)) rejected" : nil,
            run.expired > 0 ? "\(HumanFormat.grouped(run.expired)) expired" : nil,
            run.inDoubt > 0 ? "\(HumanFormat.grouped(run.inDoubt)) in doubt" : nil,
            run.leftOut > 0 ? "\(HumanFormat.grouped(run.leftOut)) left out" : nil,
        ].compactMap(\.self).joined(separator: ", ")
    }
}
