import PushModel
import Store

/// What starts itself in the coming seven days, by day. Pure.
struct WeekAheadView {
    struct Day {
        /// `Fri 2027-01-15`
        let dayName: String
        let dayStarts: [StartView]
    }

    let days: [Day]
    let hasDays: Bool
    let aheadWords: String

    /// - Parameter starts: by time; one more than are shown, where there are more.
    init(_ starts: [CampaignStore.Start], for visit: Visit) {
        let most = Int(CampaignsPage.starts)
        let shown = starts.prefix(most).filter { $0.at.secondsSince1970.isFinite }
        let byDay = Dictionary(grouping: shown) { Int(($0.at.secondsSince1970 / 86_400).rounded(.down)) }
        days = byDay.sorted { $0.key < $1.key }.map { day, starts in
            let name = CivilDate.name(ofWeekday: CivilDate.weekday(day))
            return Day(
                dayName: "\(name) \(CivilDate(daysSince1970: day).text)",
                dayStarts: starts.compactMap { StartView($0, for: visit) })
        }
        hasDays = !days.isEmpty
        aheadWords =
            starts.count > most
            ? "The first \(most) starts. There are more within these days."
            : "At most the next five times of each schedule, by days of UTC."
    }
}
