import Campaigns
import Pages
import PushModel
import Store

/// When a campaign starts itself: the template `campaign-schedule`. Pure, but that the zone is read from this machine.
struct CampaignScheduleView {
    struct Time {
        /// On the clocks of the zone.
        let timeLocal: String
        let timeMoment: MomentView
    }

    /// nil: it has no schedule.
    let scheduleWords: String?
    let scheduleNone: String?
    let scheduleState: String
    let scheduleLook: String
    /// Why it is paused, or what was missed.
    let scheduleWhy: String?
    let schedulePaused: SinceView?
    let scheduleTimes: [Time]
    let hasTimes: Bool
    /// `The next times`, or of a schedule that is paused what would come.
    let scheduleCaption: String
    let scheduleRemarks: [String]
    /// Why its times cannot be worked out here.
    let scheduleProblem: String?

    /// Times that are shown.
    static let shown = 5

    /// - Parameter now: seconds since 1970.
    init(_ campaign: CampaignStore.Campaign, _ schedule: CampaignStore.ScheduleInForce?, at now: Double) {
        scheduleWhy = schedule?.why
        schedulePaused = Moment.seconds(schedule?.pausedAt).map { SinceView(secondsSince1970: $0, at: now) }
        let isPaused = schedule?.pausedAt != nil
        (scheduleState, scheduleLook) = isPaused ? ("paused", "off") : ("in force", "good")
        scheduleCaption = isPaused ? "Would come" : "The next times"
        scheduleNone =
            schedule == nil
            ? campaign.state == "ready"
                ? "It has no schedule: a person starts its runs."
                : "It is \(campaign.state), and does not start itself."
            : nil
        guard let text = schedule?.schedule else {
            (scheduleWords, scheduleProblem, scheduleTimes, scheduleRemarks) = (nil, nil, [], [])
            hasTimes = false
            return
        }
        let instant = Int(now)
        do throws(ScheduleError) {
            let read = try Schedule(text, in: Self.zones)
            scheduleWords = read.words.uppercasedFirst
            scheduleTimes = read.times(Self.shown, after: instant).map {
                Time(timeLocal: read.local($0), timeMoment: MomentView(Double($0)))
            }
            let never = read.whyNever(after: instant)
            scheduleRemarks =
                [never == schedule?.why ? nil : never?.uppercasedFirst].compactMap(\.self)
                + read.remarks(after: instant)
            scheduleProblem = nil
        } catch {
            scheduleWords = [text.cron, text.at, text.zone].compactMap(\.self).joined(separator: " ")
            (scheduleTimes, scheduleRemarks) = ([], [])
            scheduleProblem = "This machine cannot work out its times: \(error)"
        }
        hasTimes = !scheduleTimes.isEmpty
    }

    /// Files of this machine, each read once.
    private static let zones = TimeZones()
}
