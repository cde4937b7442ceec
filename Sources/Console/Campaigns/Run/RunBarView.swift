import PushModel
import Store

/// How far a run is: a bar, in words, and at which pace. The template `run-bar`. Pure.
struct RunBarView {
    /// Recipients of whom it is known what became of them, of `barTotal`.
    let barDone: Int64
    let barTotal: Int64
    /// Whether it is known of how many.
    let isMeasured: Bool
    /// `1,200 of about 4,000 recipients`
    let barWords: String
    /// `120/s, about 4 min left`; empty: it does not run.
    let barPace: String

    init(_ run: RunProgress) {
        let ended = run.accepted + run.rejected + run.expired + run.cancelled + run.inDoubt + run.leftOut
        barDone = ended
        barTotal = max(run.total ?? 0, ended)
        isMeasured = run.total != nil && barTotal > 0
        barWords =
            isMeasured
            ? "\(HumanFormat.grouped(ended)) of \(run.isExpanded ? "" : "about ")\(HumanFormat.grouped(barTotal)) recipients"
            : "\(HumanFormat.grouped(ended)) recipients, of how many is not known yet"
        var pace: [String] = []
        if run.state == .running {
            if run.perSecond > 0 { pace.append("\(HumanFormat.rate(run.perSecond))/s") }
            if let rate = run.rate { pace.append("at most \(HumanFormat.rate(rate))/s") }
            if let eta = run.eta { pace.append("about \(HumanFormat.duration(eta)) left") }
        }
        barPace = pace.joined(separator: ", ")
    }
}
