import Campaigns
import CommandLineTool
import Foundation
import PushModel
import Store

/// What a person sees of the schedule of a campaign: in words, as a cron line, and its next times.
struct CampaignSchedule {
    /// Times that are shown.
    static let shown = 3

    private let campaign: String
    private let known: CampaignStore.Scheduled
    private let schedule: Schedule?
    /// Whether it will fire: not while paused, a draft or unapproved.
    private let comes: Bool
    private let next: [Int]
    /// Why no time comes.
    private let never: String?
    private let remarks: [String]

    /// - Parameter now: seconds since 1970, from when on its times are shown.
    /// - Throws: `Failure` for a zone that this machine does not know.
    init(
        _ campaign: String, _ known: CampaignStore.Scheduled, now: Int = Int(Date().timeIntervalSince1970)
    ) throws {
        (self.campaign, self.known) = (campaign, known)
        schedule = try known.schedule.map { text in try Schedule(reading: text, of: campaign) }
        comes = known.pausedAt == nil && known.state == "ready" && known.unapproved == nil
        next = schedule?.times(Self.shown, after: now) ?? []
        never = schedule?.whyNever(after: now)
        remarks = schedule?.remarks(after: now) ?? []
    }

    /// - Parameter changed: whether this call gave it that schedule.
    func report(changed: Bool) -> Report { Report(text, json(changed: changed)) }

    private var text: String {
        guard let schedule else { return "campaign \(campaign), revision \(known.revision), has no schedule" }
        var lines = ["campaign \(campaign), revision \(known.revision), starts itself \(schedule.words)"]
        if known.state == "draft" { lines.append("it is a draft, and does not start") }
        if let pausedAt = known.pausedAt {
            lines.append("the schedule is paused since \(pausedAt): \(known.why ?? "nobody said why")")
        } else if let why = known.why {
            lines.append(why)
        }
        if let unapproved = known.unapproved { lines.append(unapproved) }
        if let never, never != known.why { lines.append(never) }
        let first = comes ? "next" : "would come"
        for (n, time) in next.enumerated() {
            let instant = HumanFormat.time(secondsSince1970: Double(time))
            let label = n == 0 ? first : String(repeating: " ", count: first.count)
            lines.append("\(label)  \(schedule.local(time))   \(instant)")
        }
        return (lines + remarks).joined(separator: "\n")
    }

    private func json(changed: Bool) -> JSONOutput {
        let times: [JSONOutput] = next.map { .text(HumanFormat.time(secondsSince1970: Double($0))) }
        return .object([
            "campaign": .text(campaign), "revision": .number(known.revision), "changed": .flag(changed),
            "state": .text(known.state), "words": .text(schedule?.words), "cron": .text(known.schedule?.cron),
            "at": .text(known.schedule?.at), "zone": .text(known.schedule?.zone), "paused_at": .text(known.pausedAt),
            "why": .text(known.why), "unapproved": .text(known.unapproved),
            "remarks": .list(remarks.map { .text($0) }),
            "next": .list(comes ? times : []), "would_come": .list(comes ? [] : times),
        ])
    }
}

extension Schedule {
    /// - Throws: `Failure` where the zone is not known on this machine.
    init(reading text: Schedules.Text, of campaign: String) throws {
        self = try Failure.wrapping(
            "cannot work out when campaign \(campaign.quoted) starts",
            hint: "Is the package tzdata of this machine up to date?", status: .configuration
        ) { try Schedule(text, in: TimeZones()) }
    }
}
