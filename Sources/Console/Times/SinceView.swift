import Pages
import Postgres

/// Since when something is so, as a time and as an age: the template `since`.
struct SinceView {
    let sinceMoment: MomentView
    let sinceAge: AgeView

    /// nil: it is so since ever.
    init?(_ time: Timestamp, at now: Double) {
        guard time.secondsSince1970.isFinite else { return nil }
        self.init(secondsSince1970: time.secondsSince1970, at: now)
    }

    init(secondsSince1970 moment: Double, at now: Double) {
        sinceMoment = MomentView(moment)
        sinceAge = AgeView(since: moment, at: now)
    }
}
