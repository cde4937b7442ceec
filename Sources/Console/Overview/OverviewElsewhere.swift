/// What the first page shows, in SQL and as commands.
enum OverviewElsewhere {
    /// - Parameter person: who looks; what the person may not ask is left out.
    static func all(for person: Person) -> [Elsewhere] {
        [
            Elsewhere(
                about: "whether messages are sent", sql: "SELECT line, findings FROM push.check();",
                command: "fanfare check"),
            Elsewhere(
                about: "hubs",
                sql: """
                    SELECT hub, state, why, since, workers, unserved_since, "window", in_flight, key, token_expires_at, note
                      FROM push.hub_health;
                    """, command: "fanfare status"),
            Elsewhere(
                about: "backlog and doubts", sql: "SELECT jsonb_pretty(push.read_pulse());", command: "fanfare status"),
            Elsewhere(
                about: "the last hour",
                sql: """
                    SELECT hub, minute, status, reason, messages FROM push.throughput
                     WHERE minute > now() - interval '1 hour' ORDER BY minute DESC;
                    """, command: "fanfare status --json"),
            Elsewhere(
                about: "runs under way",
                sql: """
                    SELECT campaign, key, state, why, expanded, total, pending, accepted, rejected, in_doubt, per_second, eta
                      FROM push.run_progress WHERE ended_at IS NULL ORDER BY run DESC LIMIT 50;
                    """, command: "fanfare campaign list"),
            Elsewhere(
                about: "workers",
                sql: "SELECT name, version, last_beat, alive, doing, trouble, claims, messages FROM push.workers;",
                command: "fanfare status"),
            Elsewhere(
                about: "the database", sql: "SELECT kind, holder, held, remedy FROM push.snapshot_holders;",
                command: "fanfare doctor --offline"),
        ]
            + (person.may(.approve)
                ? [
                    Elsewhere(
                        about: "what waits for an approval",
                        sql: """
                            SELECT a.campaign, a.revision, a.by, a.asks, a.standing
                              FROM push.campaign c
                                   JOIN push.approvals a ON a.campaign = c.name AND a.revision = c.revision
                             WHERE c.unapproved IS NOT NULL;
                            """, role: "push_approve", command: "fanfare campaign list --state unapproved")
                ] : [])
    }
}
