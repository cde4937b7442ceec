import Foundation
import Store

extension CampaignStore.Scheduled {
    /// What `fanfare campaign check` says of the schedule; `create` prints the warnings.
    package func findings(now: Int = Int(Date().timeIntervalSince1970)) -> [CampaignStore.Finding] {
        guard let schedule else { return [] }
        var findings: [CampaignStore.Finding]
        do throws(ScheduleError) {
            findings = try Schedule(schedule, in: TimeZones()).findings(after: now)
        } catch {
            let hint = "Is the package tzdata of this machine up to date?"
            findings = [.init("warning", "schedule", "this machine cannot work out its times: \(error)", hint: hint)]
        }
        if let pausedAt {
            findings.append(
                .init(
                    "warning", "schedule", "is paused since \(pausedAt): \(why ?? "nobody said why")",
                    hint: "fanfare schedule resume lets it go on."))
        } else if let why, !findings.contains(where: { $0.finding == why }) {
            findings.append(.init("warning", "schedule", why, hint: nil))
        }
        return findings
    }
}
