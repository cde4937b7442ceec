import Pages
import PushModel
import Store

/// What became of the messages of a run, by the minute in which they were made: a picture of an hour, and each minute. Pure.
struct RunMinutesView {
    struct Minute {
        let minuteMoment: MomentView
        let minuteMade: String
        let minuteAccepted: String
        let minuteFailed: String
        let minuteDoubts: String
        let minuteCancelled: String
        let minuteOpen: String
    }

    /// nil: nothing is counted yet.
    let minutesChart: ChartView?
    let minutes: [Minute]
    /// `60 minutes`
    let minutesCount: String

    /// - Parameter minutes: the newest first.
    /// - Returns: nil: no message is made yet.
    init?(_ minutes: [RunMinute]) {
        guard let last = minutes.first?.minute.secondsSince1970, last.isFinite else { return nil }
        let counted = minutes.map {
            ChartView.Minute(
                at: $0.minute.secondsSince1970, sent: Int($0.accepted), failed: Int($0.failed + $0.inDoubt))
        }
        // The hour that ends with the last message: of a run of yesterday nothing happened in the last one.
        minutesChart = counted.contains { $0.sent + $0.failed > 0 } ? ChartView(nil, counted, at: last) : nil
        minutesCount = HumanFormat.count(minutes.count, "minute")
        self.minutes = minutes.map { minute in
            Minute(
                minuteMoment: MomentView(minute.minute.secondsSince1970), minuteMade: HumanFormat.grouped(minute.made),
                minuteAccepted: HumanFormat.grouped(minute.accepted), minuteFailed: HumanFormat.grouped(minute.failed),
                minuteDoubts: HumanFormat.grouped(minute.inDoubt),
                minuteCancelled: HumanFormat.grouped(minute.cancelled), minuteOpen: HumanFormat.grouped(minute.open))
        }
    }
}
