import Postgres
import TestSupport
import Testing

@testable import Store

/// `push.check`: what is OK, WARNING and CRITICAL, as a monitor's login sees it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MonitorReportTests {
    /// For tests that leave nothing in it.
    private static let untouched = Task { try await served() }

    /// One hub, `news`, that a living worker serves.
    private static func served() async throws -> StoreFixture {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            """
            INSERT INTO push.serving (worker, hub, key, has_secondary, signings, "window", in_flight, rate)
            VALUES (\(store.queue.worker.number), \(store.hub), 'primary', false, 0, 1, 0, 0)
            """)
        return store
    }

    private static func check(
        _ store: StoreFixture, warning: String..., critical: String..., hub: String? = nil
    ) async throws -> MonitorReport {
        let monitor = try await store.test.login(as: "push_monitor").database
        let report: Result<MonitorReport, any Error>
        do {
            report = .success(
                try await MonitorReport.read(from: monitor, warning: warning, critical: critical, hub: hub))
        } catch {
            report = .failure(error)
        }
        await monitor.close()
        return try report.get()
    }

    /// Messages that have been due for so long.
    private static func enqueue(_ count: Int32 = 1, dueFor seconds: Double, in store: StoreFixture) async throws {
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, send_at)
            SELECT 'news', 'a', '{"message": "hi"}', now() - make_interval(secs => \(seconds))
              FROM generate_series(1, \(count))
            """)
    }

    private static func results(_ status: String, _ count: Int64, in store: StoreFixture) async throws {
        try await store.database.execute(
            """
            INSERT INTO push.tally (hub, minute, status, reason, n)
            VALUES (\(store.hub), now() - interval '50 minutes', \(status)::push.status, 'bad_request', \(count))
            """)
    }

    @Test func aQuietInstallationIsOK() async throws {
        let store = try await Self.served()
        let report = try await Self.check(store)
        #expect(report.code == 0)
        #expect(report.line == "FANFARE OK: 1 hub, 0 due, 1 worker")
        #expect(report.perfdata == "oldest=0s;60;300;0 due=0 in_doubt=0;1;;0 failed=0%;5;50;0 workers=1")
        #expect(report.findings == [])
        #expect(report.failed == nil)
    }

    @Test func withoutAHubItWarns() async throws {
        let test = try await TestDatabase.make()
        let report = try await MonitorReport.read(from: test.database, warning: [], critical: [], hub: nil)
        #expect(report.line == "FANFARE WARNING: no hub is registered: fanfare migrate up")
    }

    @Test(arguments: [
        (0.0, 0, "FANFARE OK: 1 hub, 2 due, 1 worker"), (75, 1, "FANFARE WARNING: news: oldest due for 1 min"),
        (400, 2, "FANFARE CRITICAL: news: oldest due for 6 min"),
    ])
    func dueMessagesAreJudgedByTheOldest(seconds: Double, code: Int32, line: String) async throws {
        let store = try await Self.served()
        try await Self.enqueue(2, dueFor: seconds, in: store)
        try await Self.enqueue(dueFor: -86_400, in: store)
        let report = try await Self.check(store)
        #expect(report.code == code)
        #expect(report.line == line)
        #expect(report.due == 2)
        #expect(report.oldest >= seconds && report.oldest < seconds + 60)
    }

    /// By itself, and in the middle of the greatest calm.
    @Test func dueMessagesThatNoLivingWorkerServesAreCritical() async throws {
        let store = try await Self.served()
        try await store.database.execute("UPDATE push.worker SET beat_at = now() - interval '1 minute'")
        #expect(try await Self.check(store).line == "FANFARE OK: 1 hub, 0 due, 0 workers")
        try await Self.enqueue(dueFor: 3, in: store)
        let report = try await Self.check(store, warning: "oldest=off", critical: "oldest=off")
        #expect(report.code == 2)
        #expect(report.line.hasPrefix("FANFARE CRITICAL: news: no worker serves it, 1 due, the oldest for "))
    }

    @Test func aWorkerThatCannotWriteIsCritical() async throws {
        let store = try await Self.served()
        try await store.database.execute("UPDATE push.worker SET trouble = 'cannot write for 14 s: 53100 | no space'")
        let report = try await Self.check(store, hub: "news")
        #expect(report.line == "FANFARE CRITICAL: worker host/1: cannot write for 14 s: 53100 no space")
        try await store.database.execute("UPDATE push.worker SET beat_at = now() - interval '1 minute'")
        #expect(try await Self.check(store).code == 0, "a dead one said that long ago")
    }

    @Test func aHeldHubIsCriticalWithItsWords() async throws {
        let store = try await Self.served()
        try await Self.enqueue(dueFor: 400, in: store)
        try await store.database.execute(
            "UPDATE push.hub_state SET held_since = now(), hold_reason = 'the hub refuses\nboth keys | 401'")
        let report = try await Self.check(store)
        #expect(report.line == "FANFARE CRITICAL: news: held: the hub refuses both keys 401, 1 due")
    }

    @Test func aPausedHubOnlyWarns() async throws {
        let store = try await Self.served()
        try await Self.enqueue(dueFor: 400, in: store)
        try await store.database.execute("UPDATE push.hub_state SET paused_by = 'anna', paused_why = 'new key'")
        #expect(
            try await Self.check(store).line
                == "FANFARE WARNING: news: oldest due for 6 min, paused by anna: new key")
    }

    @Test func messagesInDoubtAreCounted() async throws {
        let store = try await Self.served()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim(2))
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        let other = try await store.another()
        _ = try await store.workers.rescue(store.queue.worker)
        let report = try await Self.check(store)
        #expect(report.line == "FANFARE WARNING: 2 in doubt (news 2)")
        #expect(report.inDoubt == 2)
        #expect(report.perfdata.contains(" in_doubt=2;1;;0 "))
        #expect(try await Self.check(store, critical: "in_doubt=2").code == 2)
        #expect(try await Self.check(store, warning: "in_doubt=off").code == 0)
        _ = other
    }

    @Test func failuresAreJudgedByTheirShareOfWhatEnded() async throws {
        let store = try await Self.served()
        try await Self.results("rejected", 5, in: store)
        try await Self.results("accepted", 14, in: store)
        try await Self.results("cancelled", 100, in: store)
        try await Self.results("retrying", 100, in: store)
        #expect(try await Self.check(store).failed == nil, "19 are too few to say")
        try await Self.results("expired", 1, in: store)
        let report = try await Self.check(store)
        #expect(report.line == "FANFARE WARNING: news: 30% of the last hour's messages failed (6 of 20)")
        #expect(report.perfdata.contains(" failed=30%;5;50;0 "))
        #expect(try await Self.check(store, warning: "failed=20%", critical: "failed=30%").code == 2)
        try await store.database.execute("UPDATE push.tally SET minute = minute - interval '11 minutes'")
        #expect(try await Self.check(store).failed == nil)
    }

    @Test func theWorstComesFirstAndNamesItsHub() async throws {
        let store = try await Self.served()
        try await store.database.execute("INSERT INTO push.hub (name) VALUES ('alerts'), ('sport')")
        try await Self.enqueue(dueFor: 70, in: store)
        try await Self.results("rejected", 20, in: store)
        try await store.database.execute(
            "INSERT INTO push.message (hub, tag, content) VALUES ('sport', 'a', '{\"message\": \"hi\"}')")
        let report = try await Self.check(store)
        #expect(report.findings.count == 3)
        #expect(report.findings[0].hasPrefix("sport: no worker serves it"))
        #expect(report.findings[1].hasPrefix("news: 100% of"))
        #expect(report.findings[2].hasPrefix("news: oldest due for 1 min"))
        #expect(report.line == "FANFARE CRITICAL: " + report.findings.joined(separator: "; "))
        let news = try await Self.check(store, critical: "failed=off", hub: "news")
        #expect(news.code == 1 && news.hubs == 1 && news.due == 1)
    }

    @Test(arguments: [
        ("60", "oldest=0s;60;"), ("90s", "oldest=0s;90;"), ("oldest=2m", "oldest=0s;120;"),
        ("oldest = 1m30s", "oldest=0s;90;"), ("oldest=off", "oldest=0s;;"), ("4m,in_doubt=7", "in_doubt=0;7;"),
        ("failed=2.5%", "failed=0%;2.5;"), ("failed=3, , 1m", "failed=0%;3;"), ("1m,2m", "oldest=0s;120;"),
    ])
    func limitsAreReadAsPeopleWriteThem(limit: String, perfdata: String) async throws {
        let store = try await Self.served()
        #expect(try await Self.check(store, warning: limit).perfdata.contains(perfdata))
    }

    @Test(
        arguments: [
            "", "oldest=", "oldest", "oldest=5x", "oldest=-1", "oldest=5m=3", "oldest=1m2h", "in_doubt=1.5",
            "in_doubt=1%",
            "failed=101", "failed=5s", "due=3", "=5", "1e3", "oldest=99999999999", "10m",
        ].dropFirst())
    func whatIsNoLimitIsRefused(limit: String) async throws {
        let store = try await Self.untouched.value
        let error = await #expect(throws: DatabaseError.self) { try await Self.check(store, warning: limit) }
        #expect(error?.sqlState == "22023" && error?.hint != nil, "\(limit): \(String(describing: error))")
    }

    @Test func aHubThatIsNotRegisteredIsRefused() async throws {
        let store = try await Self.served()
        let error = await #expect(throws: DatabaseError.self) { try await Self.check(store, hub: "sport") }
        #expect(error?.message == #"hub "sport" is not registered"#)
        #expect(error?.hint == "Registered: news.")
    }

    /// Also in a session whose literals take a backslash as an escape.
    @Test func itWorksWithAnySettingOfLiterals() async throws {
        let store = try await Self.served()
        let line = try await store.database.withConnection { connection in
            try await connection.execute("SET standard_conforming_strings = off")
            try await connection.execute("SET escape_string_warning = off")
            let line = try await connection.query("SELECT line FROM push.check('{failed=2.5%}')") { rows in
                try rows.single { row in try row.string() }
            }
            try await connection.execute("RESET ALL")
            return line
        }
        #expect(line == "FANFARE OK: 1 hub, 0 due, 1 worker")
    }
}
