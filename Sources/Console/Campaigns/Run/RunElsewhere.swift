import PushModel

/// How to learn what the page of a run shows without it.
enum RunElsewhere {
    /// - Parameter person: who looks; what the person may not ask is left out.
    static func all(of run: RunReference, for person: Person) -> [Elsewhere] {
        let role = (person.first(of: RunPage.rights) ?? .look).role
        let which = "WHERE campaign = \(SQLText.literal(run.campaign)) AND key = \(SQLText.literal(run.key))"
        return [
            Elsewhere(
                about: "how far it is", sql: "SELECT * FROM push.run_progress \(which);", role: role,
                command: "fanfare campaign status \(run.words)"),
            Elsewhere(
                about: "reasons",
                sql: "SELECT state, reason, messages, example, note FROM push.failures_of_run(\(run.sql));", role: role),
            Elsewhere(
                about: "hubs",
                sql: "SELECT hub, workers, expanded, is_expanded FROM push.run_hubs \(which) ORDER BY hub;",
                role: role),
        ]
            + (person.first(of: [.campaigns, .operate]).map { right in
                [
                    Elsewhere(
                        about: "time zones and minutes",
                        sql: """
                            SELECT t.zone, date_trunc('minute', s.at) AS minute, sum(s.rows) AS made
                              FROM push.campaign c
                                   JOIN push.run r ON r.campaign = c.id
                                   JOIN push.stream t ON t.run = r.id
                                   JOIN push.slice s ON s.stream = t.id
                             WHERE c.name = \(SQLText.literal(run.campaign)) AND r.key = \(SQLText.literal(run.key))
                             GROUP BY 1, 2 ORDER BY 2 DESC, 1;
                            """, role: right.role)
                ]
            } ?? [])
    }
}
