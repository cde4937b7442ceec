import Store

/// What a schedule will do that its owner may not expect. Pure.
extension Schedule {
    /// Why no time comes behind an instant; nil: one comes.
    package func whyNever(after instant: Int) -> String? {
        guard next(after: instant) == nil else { return nil }
        switch times {
        case .once(let at):
            return "it never starts: \(local(at)) \(at > instant ? "lies outside of from and until" : "is past")"
        case .cron(let line):
            if let until, until <= instant { return "it never starts: until, \(local(until)), is past" }
            if from != nil || until != nil {
                return "it never starts: no time of \(line) lies between from and until"
            }
            return "it never starts: no time of \(line) lies within eight years"
        }
    }

    /// What `fanfare campaign check` says of it, and `create` too where it is a warning.
    ///
    /// - Parameter instant: now.
    package func findings(after instant: Int) -> [CampaignStore.Finding] {
        if let why = whyNever(after: instant) {
            return [
                .init(
                    "warning", "schedule", why,
                    hint: "Give it another time: fanfare schedule set. fanfare campaign run starts it by hand.")
            ]
        }
        let meets = upcoming(Self.shown, from: next(after: instant)).lazy.compactMap { time in
            self.secondsBehindOpenZones(time).map { (time, $0) }
        }.first
        guard let (time, gap) = meets else { return [] }
        return [overlapFinding(overlap(at: time), hours: (gap + 3_599) / 3_600)]
    }

    private func overlapFinding(_ overlap: Overlap, hours: Int) -> CampaignStore.Finding {
        let meets = "a run takes up to 26 h from the first zone to the last, and the next time comes after \(hours) h"
        let hint = "Leave overlap out: both go on side by side."
        let offset = 14 - hours
        let west = "UTC\(offset < 0 ? "" : "+")\(offset)"
        return switch overlap {
        case .allow: .init("info", "schedule.overlap", "\(meets): both go on side by side", hint: nil)
        case .skip:
            .init("warning", "schedule.overlap", "\(meets): it is skipped if one goes as far as \(west)", hint: hint)
        case .queue:
            .init(
                "warning", "schedule.overlap",
                "\(meets): it waits if one goes as far as \(west), and is late in zones where its time is past",
                hint: hint)
        case .cancel:
            .init(
                "warning", "schedule.overlap", "\(meets): it cancels what zones from \(west) on still wait for",
                hint: hint)
        }
    }
}
