import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Console

/// With a million messages, a page costs what it shows, not what the tables hold: no statement of it reads a whole table, or more
/// pages of tables than it may. The tables are not analysed.
@Suite(.timeLimit(.minutes(10))) struct MillionMessagesTests {
    /// 900,000 ended messages, of which 900 failed and 100 are in doubt, and 100,000 that wait.
    private static func fill(_ bench: ConsoleBench) async throws {
        try await bench.test.database.script(
            """
            ALTER DATABASE \(bench.test.name) SET session_preload_libraries = 'auto_explain';
            INSERT INTO push.message_0 (hub, tag, content, id) OVERRIDING SYSTEM VALUE
            SELECT 'news', 'World', '{}', g FROM generate_series(1, 1000000) g;
            SET enable_seqscan = off;
            INSERT INTO push.due (due_at, id, hub, priority)
            SELECT push_internal.first_due_at(send_at, created_at, after, after_device, after_at_most), id, \(bench.hub), priority
              FROM push.message_0 WHERE id > 900000;
            RESET enable_seqscan;
            INSERT INTO push.result (id, status, reason)
            SELECT g, 'accepted', 'taken_by_hub' FROM generate_series(1, 899000) g;
            INSERT INTO push.result (id, status, reason, note)
            SELECT g, 'rejected', CASE WHEN g > 899800 THEN 'target_gone' ELSE 'bad_request' END::push.reason, 'no'
              FROM generate_series(899001, 899900) g;
            INSERT INTO push.result (id, status, reason)
            SELECT g, 'in_doubt', 'worker_lost' FROM generate_series(899901, 900000) g;
            INSERT INTO push.tally
            SELECT \(bench.hub), date_trunc('minute', now()) - g * interval '1 minute', 'accepted', 'taken_by_hub', 1
              FROM generate_series(0, 10000) g;
            SELECT push.create_campaign(
                'spring', '{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"message": "x"}}}');
            SELECT push.start_run('spring', 'first');
            """)
    }

    /// How many pages of tables one statement of each may read, with what its session reads of the catalogue for the first time.
    private static let budgets: KeyValuePairs<String, Int> = [
        "/": 10_000, "/hubs/news": 1_000, "/messages": 8_000, "/messages?hub=news": 8_000,
        "/messages?status=due": 8_000, "/messages?status=rejected": 6_000, "/messages?status=in_doubt": 3_000,
        "/messages?reason=target_gone": 8_000, "/messages?before=500000": 2_000, "/messages/7": 1_000,
        "/messages/899500": 1_000, "/messages/899950": 1_000, "/messages/999999": 1_000, "/failures": 12_000,
        "/devices": 500, "/devices?hub=news": 500, "/audit": 500, "/about": 6_000, "/campaigns": 500,
        "/campaigns/new": 15_000, "/campaigns/spring": 4_000, "/campaigns/spring/edit": 3_000,
        "/campaigns/spring/runs/first": 1_000,
    ]

    @Test func noPageReadsWholeTables() async throws {
        let bench = try await ConsoleBench.make()
        try await Self.fill(bench)
        try await bench.beat()
        try await Self.look(at: Self.budgets, in: bench)
        // As where the catalogue is large: without its indexes, a plan may test rights in another order.
        try await Self.look(
            at: ["/about": 6_000], in: bench, with: ["enable_indexscan = off", "enable_bitmapscan = off"])
        // What its sessions did is counted when they are gone.
        let login = "\(bench.test.name)_push_console"
        try await Awaited.until("the end of the console's sessions") {
            let open = try await bench.test.number("SELECT count(*) FROM pg_stat_activity WHERE usename = \(login)")
            return (open, open == 0)
        }
        let scanned = try await bench.test.number(
            "SELECT sum(seq_tup_read)::bigint FROM pg_stat_user_tables WHERE schemaname = 'push'")
        #expect(scanned < 100_000)
    }

    private static func look(
        at budgets: KeyValuePairs<String, Int>, in bench: ConsoleBench, with settings: [String] = []
    ) async throws {
        let seen = Mutex<[String]>([])
        let all =
            settings + [
                "client_min_messages = log", "auto_explain.log_min_duration = 0",
                "auto_explain.log_analyze = on", "auto_explain.log_buffers = on", "auto_explain.log_timing = off",
            ]
        try await bench.test.database.script(
            all.map { "ALTER ROLE \(bench.test.name)_push_console SET \($0);" }.joined(separator: "\n"))
        let database = Database(
            DatabaseSettings(
                url: bench.login.conninfo, maximumConnections: 1,
                onNotice: { notice in seen.withLock { $0.append(notice.message) } }))
        let console = TestConsole(database)
        for (path, pages) in budgets {
            seen.withLock { $0 = [] }
            let answer = try #require(try await console.get(path))
            #expect(answer.status == 200, "\(path)")
            if path.hasPrefix("/messages") {
                // A search that found nothing would read for as long as it may. On a busy machine its time may end first.
                let page = String(decoding: answer.body, as: UTF8.self)
                #expect(page.contains("World") || page.contains("Look further"), "\(path)")
            }
            let plans = seen.withLock { $0 }.filter { $0.contains("plan:") }
            #expect(!plans.isEmpty, "\(path): no output of auto_explain")
            let most = plans.max { Self.buffers(of: $0) < Self.buffers(of: $1) } ?? ""
            #expect(Self.buffers(of: most) < pages, "\(path): \(most)")
        }
        await database.close()
    }

    /// Those of the topmost node, which has what the others read, and of functions in it.
    private static func buffers(of plan: String) -> Int {
        guard let line = plan.split(separator: "\n").first(where: { $0.contains("Buffers: shared") }) else { return 0 }
        return line.matches(of: /(?:hit|read)=(\d+)/).reduce(0) { $0 + (Int($1.1) ?? 0) }
    }
}
