import Foundation
import Glibc
import HubEmulator
import Postgres
import PostgresServer
import ProgramSupport
import TestSupport
import Testing

/// PostgreSQL, `fanfare run` and a hub that go by one clock, which the test moves.
final class MovedBench {
    let clock: MovedClock
    let test: TestDatabase
    let emulator: HubEmulator
    private let server: TemporaryServer
    private let systemd: NotifySocket
    private let scratch: ScratchDirectory
    private let fanfare: BuiltProgram
    private var worker: ServiceBench.Process?

    /// Lends a bench whose worker runs. Whatever `body` does, its worker ends.
    ///
    /// - Parameter instant: where the clock begins, such as `2026-12-31T23:59:50Z`.
    static func run(at instant: String, _ body: (MovedBench) async throws -> Void) async throws {
        let bench = try await MovedBench(at: instant)
        let outcome: Result<Void, any Error>
        do {
            try await bench.start()
            try await body(bench)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await bench.stop(by: SIGKILL)
        await bench.emulator.stop()
        await bench.test.database.close()
        await bench.server.stop()
        try outcome.get()
    }

    private init(at instant: String) async throws {
        let clock = try await MovedClock(at: instant)
        self.clock = clock
        var options = TemporaryServer.Options()
        options.environment = clock.environment
        server = try await TemporaryServer.start(options)
        test = try await TestDatabase.make(in: server)
        var settings = EmulatorSettings(hubs: [.init("breaking-news")])
        settings.now = { clock.now }
        emulator = try HubEmulator(settings, logger: TestWorker.quiet)
        _ = try await emulator.start()
        scratch = try ScratchDirectory()
        systemd = try NotifySocket(in: scratch)
        let connection = emulator.connectionString(for: "breaking-news")?.reveal() ?? ""
        var fanfare = BuiltProgram(
            settings: try scratch.write(
                """
                {"database": {"url": "\(test.conninfo)"}, "console": {"listen": "off"}, "dispatch": {"leaseSeconds": 5},
                 "hubs": {"news": {"hub": "breaking-news", "connectionString": "\(connection)", "zoneTag": "tz:{zone}"}}}
                """, to: "config.json"), scratch: scratch)
        fanfare.clock = clock
        fanfare.environment = ["NOTIFY_SOCKET": systemd.path]
        self.fanfare = fanfare
    }

    // MARK: The worker

    /// Starts it and waits until it works.
    func start() async throws {
        let process = fanfare.process(["run", "--log-format", "json"])
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try scratch.open("log")
        worker = try ServiceBench.Process(process)
        await systemd.wait(for: "READY=1")
    }

    /// Ends it.
    func stop(by signal: Int32 = SIGTERM) async {
        worker?.signal(signal)
        _ = await worker?.ended
        worker = nil
    }

    // MARK: Messages and campaigns

    /// Enqueues one message for each name, which is its title.
    func enqueue(_ names: String..., times: String = "NULL, NULL") async throws {
        for name in names {
            try await test.database.script(
                """
                INSERT INTO push.message (hub, tag, content, send_at, expires_at)
                SELECT 'news', 'World', '{"title": "\(name)"}', coalesce(t.send_at::timestamptz, clock_timestamp()), t.expires_at::timestamptz
                  FROM (VALUES (\(times))) t (send_at, expires_at)
                """)
        }
    }

    /// Keeps campaigns to the tag A, each with its name for a title, and waits until a worker knows when they come.
    ///
    /// - Parameter schedules: by name: the members of the schedule, and what else the spec has.
    func schedule(_ schedules: [String: (schedule: String, rest: String)]) async throws {
        for (name, spec) in schedules {
            try await test.database.script(
                """
                SELECT push.create_campaign('\(name)', '{"hubs": ["news"], "audience": {"tags": ["A"]},
                    "content": {"": {"title": "\(name)"}}, "schedule": {\(spec.schedule)}\(spec.rest)}')
                """)
        }
        try await until("SELECT count(*) FROM push.campaign_next WHERE n = 1") { $0 == schedules.count }
    }

    /// The runs of a campaign: `2026-12-31T23:00:00Z done`, by key.
    func runs(of campaign: String) async throws -> [String] {
        try await test.texts(
            "SELECT key || ' ' || state FROM push.run_progress WHERE campaign = \(campaign) ORDER BY key")
    }

    /// Moves the clock to an instant, and waits until a worker has looked which campaigns are due then, and sent what came of
    /// it: `steps` is a campaign that comes at each of these instants, and is seen in the same look as others.
    func come(to instant: String) async throws {
        try clock.set(to: instant)
        try await until(
            """
            SELECT count(*) FROM push.run r JOIN push.campaign c ON c.id = r.campaign
             WHERE c.name = 'steps' AND r.key = \(instant) AND r.closed_at IS NOT NULL
            """)
        try await until(
            """
            SELECT (SELECT count(*) FROM push.stream WHERE release_at <= now() AND done_at IS NULL)
                   + (SELECT count(*) FROM push.due WHERE due_at <= now()) + (SELECT count(*) FROM push.claim)
            """
        ) { $0 == 0 }
    }

    func until(_ sql: SQL, _ holds: (Int64) -> Bool = { $0 > 0 }) async throws {
        try await Awaited.until(sql.text) {
            let seen = try await test.number(sql)
            return ("\(seen), log: \(try scratch.read("log").suffix(2_000))", holds(seen))
        }
    }

    /// Waits until the hub has taken this many messages.
    func taken(_ count: Int) async throws {
        try await Awaited.until("\(count) messages that the hub took") {
            (titles + [try scratch.read("log").suffix(2_000).description], titles.count >= count)
        }
    }

    /// The titles of what the hub took, each with its zone if it has one, in the order of their arrival.
    var titles: [String] {
        emulator.journal().filter(\.taken).map { entry in
            let title = entry.body.flatMap { $0.firstMatch(of: /"title": ?"([^"]*)"/) }.map { String($0.1) } ?? "?"
            let zone = entry.tags.flatMap { $0.firstMatch(of: /tz:([A-Za-z_]+)/) }.map { " " + $0.1 } ?? ""
            return title + zone
        }
    }

    /// That nothing was lost, refused or sent twice.
    func balance(refused: Int = 0) async throws {
        #expect(try await test.texts("SELECT id || ' ' || problem FROM push.lost") == [])
        #expect(try await test.number("SELECT count(*) FROM push.in_doubt") == 0)
        let refusals = emulator.journal().filter { !$0.taken }.map { $0.refusal ?? "\($0.status ?? 0)" }
        #expect(refusals.count <= refused, "\(refusals)")
    }
}
