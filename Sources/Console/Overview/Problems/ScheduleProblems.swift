import Store

/// Campaigns that should have started themselves, or will not.
enum ScheduleProblems {
    static func of(_ rows: OverviewRows) -> [Problem] {
        (rows.schedules.value ?? []).compactMap { note in
            // What a person paused, that person knows.
            guard note.pausedAt == nil || !note.why.hasPrefix("paused by ") else { return nil }
            return Problem(
                kind: .schedule, severity: .warning, since: Moment.seconds(note.pausedAt),
                what: note.pausedAt == nil
                    ? "The schedule of campaign \(note.campaign) has something to say"
                    : "The schedule of campaign \(note.campaign) paused itself",
                why: note.why,
                todo: note.pausedAt == nil
                    ? "See when it starts next: fanfare schedule show \(note.campaign)"
                    : "Mend the cause, then: fanfare schedule resume \(note.campaign)",
                link: .campaign(note.campaign))
        }
    }
}
