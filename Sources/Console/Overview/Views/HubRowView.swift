import Pages
import PushModel
import Store

/// One line of the table of hubs.
struct HubRowView {
    let hubName: String
    let hubKind: String
    /// Empty: there is no page of it.
    let hubAddress: String
    let hubState: String
    /// Of the badge: `good`, `waits`, `bad` or `off`.
    let hubClass: String
    let hubWhy: SentenceView?
    let hubSent: String
    let hubFailed: String
    /// Of the last 60 minutes; nil: the hub had no result then, or they are not known.
    let hubChart: ChartView?
    /// In place of the chart.
    let hubHour: String
    let hubDue: String
    let hubOldest: AgeView?
    let hubWindow: String
    let hubKey: String
    let hubTokenEnd: MomentView?

    /// Minutes of one row of the numbers beside a chart: with 50 hubs they are most of the page.
    private static let chartStep = 30

    /// - Parameters:
    ///   - pulseAt: when what is pending was counted, seconds since 1970; nil: it is not known.
    ///   - counts: nil: the hub had no result in the last hour.
    ///   - isTimed: whether the last hour is known.
    init(
        _ hub: SystemStatus.Hub, pulseAt: Double?, _ counts: MinuteCounts?, isTimed: Bool, for visit: Visit
    ) {
        hubName = hub.hub
        hubKind = hub.kind
        hubAddress = visit.existing(["hubs", hub.hub]) ?? ""
        let isUnserved = hub.unservedSince != nil
        hubState = isUnserved && hub.state == "open" ? "no worker" : hub.state
        hubClass =
            switch hub.state {
            case "open": isUnserved ? "bad" : "good"
            case "held": "bad"
            case "paused": "off"
            default: "waits"
            }
        hubWhy = SentenceView(
            orNil: [hub.reasons, hub.speedWhy.map { "slowed down: \($0)" }].compactMap(\.self).filter { !$0.isEmpty }
                .joined(separator: "; "))
        // The last minute that is over: the one that is not would show less than there is.
        let minute = counts?.minutes[1] ?? MinuteCounts.Minute()
        hubSent = isTimed ? HumanFormat.rate(Double(minute.accepted) / 60) : "–"
        hubFailed = isTimed ? HumanFormat.rate(Double(minute.failed) / 60) : "–"
        hubChart = counts.map { counts in
            let minutes = counts.minutes.map { ago, minute in
                ChartView.Minute(
                    at: counts.latest - 60 * Double(ago), sent: Int(minute.accepted), failed: Int(minute.failed))
            }
            return ChartView(hub.hub, minutes, at: counts.latest, step: Self.chartStep)
        }
        hubHour = isTimed ? "nothing" : "–"
        hubDue = pulseAt == nil ? "–" : (HumanFormat.grouped(hub.due) + (hub.moreDue ? "+" : ""))
        hubOldest = pulseAt.flatMap { at in
            hub.waiting.map { AgeView(since: at - $0, at: visit.now) }
        }
        hubWindow = hub.flight ?? "–"
        hubKey = hub.key
        hubTokenEnd = Moment.seconds(hub.tokenExpiresAt).map { MomentView($0) }
    }
}
