import Logging
import PushModel
import Signing
import Telemetry

// The key table. Ranges and units are only here; defaults are at the fields.

extension Settings {
    static let keys = workerKeys + consoleKeys + logKeys

    private static let workerKeys: [SettingKey<Settings>] = [
        SettingKey(
            name: "database.url", rule: .secret(rule: "a libpq URI (postgresql://…) or key=value connection string"),
            about: "the address of PostgreSQL; empty: libpq's own environment variables"
        ) {
            $0.database.url.reveal().isEmpty ? nil : .text(SecretMask.masked($0.database.url.reveal()))
        } set: {
            $0.database.url = Secret($1.description)
        } differs: {
            $0.database.url != $1.database.url
        },
        .choice(
            "database.prepare", \.database.prepare,
            "whether statements are prepared on the server; never: for poolers in transaction mode"),
        .integer(
            "database.maximumConnections", \.database.maximumConnections, 1...100, unit: "sessions",
            "sessions of the pool; heartbeats take one more"),
        .integer("dispatch.batch", \.dispatch.batch, 1...1000, unit: "messages", "messages one claim takes at most"),
        .integer(
            "dispatch.slots", \.dispatch.slots, 1...4096, unit: "posts",
            "posts in flight, over all hubs; urgent ones may be a sixteenth more, requests for devices a quarter"),
        .integer(
            "dispatch.weights.urgent", \.dispatch.weights.urgent, 1...100, unit: "shares",
            "share of urgent messages (priority 0) in a hub's window while others wait too"),
        .integer(
            "dispatch.weights.normal", \.dispatch.weights.normal, 1...100, unit: "shares",
            "share of normal messages (priority 1)"),
        .integer(
            "dispatch.weights.bulk", \.dispatch.weights.bulk, 1...100, unit: "shares",
            "share of bulk messages (priority 2)"),
        .integer(
            "dispatch.leaseSeconds", \.dispatch.leaseSeconds, 5...300, unit: "seconds",
            "how long a worker keeps its claims without a heartbeat"),
        .integer(
            "dispatch.drainSeconds", \.dispatch.drainSeconds, 1...3600, unit: "seconds",
            "how long posts in flight may wait for their answers after SIGTERM"),
        .flag(
            "dispatch.listen", \.dispatch.listen,
            "whether an idle worker sleeps until push.wake_up(); takes one more session, not through a pooler"),
        .integer(
            "caps.rememberDays", \.caps.rememberDays, 1...366, unit: "days",
            "how long it is known whom campaigns with a cap reached; fanfare migrate up tells the database"),
        .text(
            "transport.caFile", \.transport.caFile,
            .text(rule: "the absolute path of a file of certificates in PEM form", pattern: "^(/.*)?$") {
                $0.isEmpty || $0.hasPrefix("/") && !$0.utf8.contains(0)
            },
            "certificates trusted to sign those of all hubs, instead of the system's; empty: the system's"),
        .addresses("console.listen", \.console.listen, "where the health pages and /metrics are served; off: nowhere"),
        .addresses(
            "console.metrics", \.console.metrics,
            "where /metrics alone is served, besides console.listen; off: nowhere"),
        .secret(
            "console.metricsToken", \.console.metricsToken,
            rule: BearerToken.rule,
            "the bearer token that /metrics asks for on addresses beyond the loopback", change: .restart),
    ]

    private static let logKeys: [SettingKey<Settings>] = [
        .choice("log.level", \.log.level, "the lowest level that is written", change: .live),
        .choice("log.format", \.log.format, "auto: text on a terminal, JSON elsewhere", change: .restart),
    ]
}

extension Settings {
    /// The form of one address, for editors.
    static let addressPattern = #"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}"#
}

extension SettingKey<Settings> {
    /// At most two addresses.
    fileprivate static func addresses(
        _ name: String, _ field: WritableKeyPath<Settings, [ListenAddress]> & Sendable, _ about: String
    ) -> Self {
        Self(
            name: name,
            rule: .text(
                rule: "host:port, [IPv6]:port, two of them with a comma in between, or \"off\"",
                pattern: "^(off|\(Settings.addressPattern)(, ?\(Settings.addressPattern))?)$"
            ) { [ListenAddress](list: $0) != nil },
            about: about, change: .restart
        ) {
            .text($0[keyPath: field].list)
        } set: {
            $0[keyPath: field] = [ListenAddress](list: $1.description) ?? []
        }
    }
}
