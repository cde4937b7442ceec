import PushModel

/// How to learn what the page of a campaign shows without it.
enum CampaignElsewhere {
    /// - Parameter revision: that is shown.
    static func all(of campaign: String, _ revision: Int32, for person: Person) -> [Elsewhere] {
        let name = SQLText.literal(campaign)
        let word = ShellText.word(campaign)
        let looking = person.first(of: CampaignPage.rights) ?? .look
        var all = [
            Elsewhere(
                about: "state", sql: "SELECT * FROM push.campaigns WHERE name = \(name);", role: looking.role,
                command: "fanfare campaign show \(word)"),
            Elsewhere(
                about: "schedule",
                sql:
                    "SELECT n, at, local, zone, paused_at, why FROM push.campaign_next WHERE campaign = \(name) ORDER BY n;",
                role: looking.role, command: "fanfare schedule show \(word)"),
            Elsewhere(
                about: "runs",
                sql: """
                    SELECT key, state, why, total, accepted, rejected, expired, in_doubt, started_by, started_at
                      FROM push.run_progress WHERE campaign = \(name) ORDER BY run DESC LIMIT \(CampaignRows.mostRuns);
                    """, role: looking.role),
        ]
        guard let reading = person.first(of: CampaignPage.readers) else { return all }
        all += [
            Elsewhere(
                about: "revisions",
                sql:
                    "SELECT revision, by, at, asks, standing, is_sent, base, hash FROM push.approvals WHERE campaign = \(name) ORDER BY revision DESC;",
                role: reading.role),
            Elsewhere(
                about: "what changed",
                sql: "SELECT path, before, after FROM push.changes_of_revision(\(name), \(revision));",
                role: reading.role
            ),
            Elsewhere(
                about: "check",
                sql: "SELECT level, about, finding, hint FROM push.check_campaign(\(name), \(revision));",
                role: reading.role, command: "fanfare campaign check \(word) --revision \(revision)"),
            Elsewhere(about: "plan", command: "fanfare plan --campaign \(word) --revision \(revision)"),
            Elsewhere(about: "phones", command: "fanfare campaign preview \(word) --revision \(revision)"),
        ]
        return all
    }
}
