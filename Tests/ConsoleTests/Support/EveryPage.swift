import Postgres
import PostgresServer
import Store
import TestSupport

@testable import Console

/// Each page of the console, with something on it.
enum EveryPage {
    /// The first message of `bench`.
    static let message = 1

    /// Those of `bench`.
    static let addresses = [
        "/", "/?all=1", "/hubs/news", "/messages", "/messages/\(message)", "/failures", "/devices", "/campaigns",
        "/campaigns/new", "/campaigns/spring", "/campaigns/spring/edit", RunBench.address, "/audit", "/actions",
        "/about",
    ]

    /// Of them, those that read nothing.
    static let withoutDatabase = ["/actions"]

    /// A run under way, hubs that are open, held and paused, workers that live and that died, doubts, failures, devices, and
    /// campaigns that wait for an approval or start themselves.
    static func bench() async throws -> RunBench {
        let bench = try await RunBench.withRun()
        try await fill(bench)
        return bench
    }

    /// The same in a server of one's own.
    static func bench(in server: TemporaryServer) async throws -> RunBench {
        let test = try await TestDatabase.make(in: server)
        let hub = try await Hubs(database: test.database).register(TestWorker.news)
        let bench = RunBench(
            bench: ConsoleBench(test: test, login: try await test.login(as: "push_console"), hub: hub))
        try await RunBench.fill(bench)
        try await fill(bench)
        return bench
    }

    private static func fill(_ bench: RunBench) async throws {
        try await bench.create("asking", #", "approval": "one""#)
        try await bench.create("daily", #", "schedule": {"cron": "0 8 * * *", "zone": "Europe/Berlin"}"#)
        try await bench.bench.beat()
        try await bench.test.database.script(
            """
            SELECT push.add_hub('held'), push.add_hub('paused');
            INSERT INTO push.hub_state AS s (hub, held_since, hold_reason)
            SELECT id, now() - interval '5 min', '401: the key' FROM push.hub WHERE name = 'held'
            ON CONFLICT (hub) DO UPDATE SET held_since = excluded.held_since, hold_reason = excluded.hold_reason;
            SELECT push.pause_hub('paused', 'new key');
            INSERT INTO push.message (hub, tag, content) VALUES ('held', 'waits', '{"title": "secret-words"}');
            SELECT push.put_device('news', 'phone', 'apns', '00FC13ADDEADBEEF', tags => '{secret-tag}');
            """)
        let silent = try await Workers(database: bench.test.database).register(name: "there/2", version: "1.4.0")
        try await bench.test.database.execute(
            "UPDATE push.worker SET beat_at = now() - interval '5 min' WHERE id = \(silent.id.number)")
    }
}
