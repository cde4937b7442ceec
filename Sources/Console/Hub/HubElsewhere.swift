import PushModel

/// How to learn what the page of a hub shows without it.
enum HubElsewhere {
    static func all(of hub: String) -> [Elsewhere] {
        let name = SQLText.literal(hub)
        let word = ShellText.word(hub)
        return [
            Elsewhere(
                about: "state",
                sql: """
                    SELECT hub, state, why, since, gate_until, next_probe, workers, unserved_since, differing, key, key_since, key_reason,
                           token_expires_at, "window", in_flight, answers_per_second, rate, rate_set, skew_seconds, speed, speed_why
                      FROM push.hub_health WHERE hub = \(name);
                    """, command: "fanfare hub show \(word)"),
            Elsewhere(about: "workers", sql: "SELECT * FROM push.hub_workers WHERE hub = \(name) ORDER BY worker;"),
            Elsewhere(
                about: "results of the last hour",
                sql: """
                    SELECT status, reason, push.reason_class(reason) AS class, sum(messages) AS results
                      FROM push.throughput
                     WHERE hub = \(name) AND minute > now() - interval '1 hour'
                     GROUP BY status, reason ORDER BY results DESC;
                    """),
            Elsewhere(
                about: "devices", sql: "SELECT state, why, until FROM push.device_backlog WHERE hub = \(name);",
                command: "fanfare device list --hub \(word) --status refused --since 1d"),
            Elsewhere(
                about: "registered settings",
                sql: "SELECT setting, value FROM push.hub_settings WHERE hub = \(name) ORDER BY setting;"),
        ]
    }
}
