import Pages
import Postgres

/// Until when something is so: the template `until`.
struct UntilView {
    let untilMoment: MomentView
    let untilAge: AgeView

    /// nil: it never ends.
    init?(_ time: Timestamp, at now: Double) {
        guard time.secondsSince1970.isFinite else { return nil }
        self.init(secondsSince1970: time.secondsSince1970, at: now)
    }

    init(secondsSince1970 moment: Double, at now: Double) {
        untilMoment = MomentView(moment)
        untilAge = AgeView(until: moment, at: now)
    }
}
