import Concurrency
import HTTPTypes
import Pages
import Postgres
import PushModel
import Store
import Synchronization
import TestSupport
import Testing

@testable import Console

/// The first page, out of a real database.
@Suite(.serialized, .timeLimit(.minutes(10))) struct OverviewPageTests {
    private static let everything = Person("Ann", rights: Set(Right.allCases))

    private static func console(_ test: TestDatabase, _ person: Person = everything) -> TestConsole {
        TestConsole(test.database, person: person, now: SystemClock.wallSeconds)
    }

    private static func rows(
        _ test: TestDatabase, _ person: Person = everything, statementSeconds: Int = 60
    ) async -> OverviewRows {
        let looks = Looks(clock: SystemClock.monotonicSeconds)
        let reader = PageReader(
            database: test.database, looks: looks, desk: ActionDesk(looks, now: SystemClock.wallSeconds),
            person: person, statementSeconds: statementSeconds)
        return await OverviewReading(reader: reader).rows()
    }

    private static func problems(_ test: TestDatabase) async -> [Problem] {
        let rows = await rows(test)
        #expect(rows.troubles == [])
        // Servers of tests do without fsync.
        return Problems.of(rows, for: "Ann", now: SystemClock.wallSeconds()).filter {
            $0.what != "Database: durability"
        }
    }

    /// A database with these hubs, and a living worker that serves them.
    private static func installation(_ hubs: [String]) async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        for name in hubs {
            var hub = TestWorker.news
            hub.name = name
            _ = try await Hubs(database: test.database).register(hub)
        }
        let worker = try await Workers(database: test.database).register(name: "here/1", version: "1.4.0")
        try await serve(test, worker.id.number)
        return test
    }

    private static func serve(_ test: TestDatabase, _ worker: Int32) async throws {
        try await test.database.execute(
            """
            INSERT INTO push.serving (worker, hub, key, has_secondary, signings, "window", in_flight, rate, settings_hash)
            SELECT \(worker), h.id, 'primary', true, 0, 64, 0, 0, h.settings_hash FROM push.hub h
            """)
    }

    private static func campaign(_ test: TestDatabase, _ name: String, approval: String = "none") async throws {
        let spec = """
            {"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "x"}}, "approval": "\(approval)"}
            """
        try await test.database.execute("SELECT push.create_campaign(\(name), (\(spec))::json)")
    }

    @Test func anEmptyDatabaseHasNothingToShowAndNobodyWhoWorks() async throws {
        let page = try await Self.console(try await TestDatabase.make()).page("/")
        #expect(page.contains("<title>Overview – Fanfare</title>"))
        #expect(page.contains("No hub is registered") && page.contains("No worker lives"))
        #expect(page.contains("No campaign is being sent.") && page.contains("No worker is registered."))
        #expect(!page.contains("Not shown:"), "\(page)")
    }

    @Test func whereAllIsWellNothingIsWrong() async throws {
        let test = try await Self.installation(["news", "shop"])
        #expect(await Self.problems(test) == [])
        let page = try await Self.console(test).page("/")
        #expect(page.contains("<span class=\"state waits\">1 warning</span>") && page.contains("fsync is off"))
    }

    @Test func whatRowsTellIsFound() async throws {
        let test = try await Self.installation(["closed", "doubtful", "failing", "held", "news", "paused"])
        try await test.database.script(
            """
            INSERT INTO push.hub_state (hub) SELECT h.id FROM push.hub h ON CONFLICT DO NOTHING;
            UPDATE push.hub_state SET held_since = now() - interval '5 min', hold_reason = '401: the key'
             WHERE hub = (SELECT id FROM push.hub WHERE name = 'held');
            UPDATE push.hub_state SET gate_until = now() + interval '1 hour' WHERE hub = (SELECT id FROM push.hub WHERE name = 'closed');
            INSERT INTO push.tally SELECT h.id, date_trunc('minute', now()), 'rejected', 'bad_request', 30 FROM push.hub h WHERE name = 'failing';
            SELECT push.pause_hub('paused', reason => 'new key');
            INSERT INTO push.message (hub, tag, content, send_at) SELECT 'news', 'a', '{}', now() - interval '10 min';
            """)
        try await Self.doubt(test, at: "doubtful")
        // Registered after the worker began, so nobody serves it.
        var hub = TestWorker.news
        hub.name = "unserved"
        _ = try await Hubs(database: test.database).register(hub)
        try await test.database.execute("INSERT INTO push.message (hub, tag, content) VALUES ('unserved', 'a', '{}')")
        let silent = try await Workers(database: test.database).register(name: "there/2", version: "1.4.0")
        try await test.database.execute(
            "UPDATE push.worker SET beat_at = now() - interval '5 min' WHERE id = \(silent.id.number)")
        try await test.database.execute(
            "UPDATE push.worker SET trouble = 'cannot write for 14 s: 53100' WHERE name = 'here/1'")

        try await Self.campaign(test, "spring")
        try await Self.campaign(test, "asking", approval: "two")
        try await test.database.script(
            """
            SELECT push.start_run('spring', 'stopped');
            UPDATE push.run SET state = 'paused', why = 'stopped itself: 30 of 100 results were rejected';
            UPDATE push.campaign SET schedule_why = 'paused itself: no zone', schedule_paused_at = now() WHERE name = 'spring';
            INSERT INTO push.message_default (hub, tag, content, id) OVERRIDING SYSTEM VALUE VALUES ('news', 'a', '{}', 9000000001);
            """)
        let problems = await Self.problems(test)
        let kinds = Dictionary(grouping: problems, by: \.kind).mapValues { $0.map { $0.hub ?? "" } }
        #expect(kinds[.held] == ["held"] && kinds[.gateClosed] == ["closed"] && kinds[.paused] == ["paused"])
        #expect(kinds[.rejected] == ["failing"] && kinds[.inDoubt] == ["doubtful"])
        #expect(kinds[.unserved] == ["unserved"] && kinds[.messagesWait] == ["news"])
        #expect(kinds[.workerSilent] == [""] && kinds[.workerTrouble] == [""])
        #expect(kinds[.runPaused] == [""] && kinds[.approval] == [""] && kinds[.defaultPartition] == [""])
        #expect(problems.first { $0.kind == .held }?.why == "401: the key")
        #expect(problems.first { $0.kind == .approval }?.what.hasSuffix("waits for your approval") == true)
        #expect(problems.first { $0.kind == .paused }?.why.hasSuffix(": new key") == true)
        #expect(problems.first?.severity == .critical)

        let page = try await Self.console(test).page("/")
        for text in ["Hub held is held", "401: the key", "Worker there/2 is silent", "stopped itself: 30 of 100"] {
            #expect(page.contains(text), "\(text)")
        }
    }

    /// One message of a hub whose request left, and nobody knows what became of it.
    private static func doubt(_ test: TestDatabase, at hub: String) async throws {
        try await test.database.execute(
            """
            WITH m AS (INSERT INTO push.message (hub, tag, content) VALUES (\(hub), 'a', '{}') RETURNING id)
            INSERT INTO push.result (id, post, status, reason) SELECT m.id, 1, 'in_doubt', 'worker_lost' FROM m
            """)
        try await test.database.execute(
            "DELETE FROM push.due d USING push.hub h WHERE d.hub = h.id AND h.name = \(hub)")
    }

    @Test func aMissedStartIsFound() async throws {
        let test = try await Self.installation(["news"])
        try await test.database.script(
            """
            SELECT push.create_campaign('daily', '{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "x"}},
                "schedule": {"cron": "0 8 * * *", "zone": "UTC"}}');
            UPDATE push.campaign SET schedule_why = 'run "2027-01-15T08:00" was missed: no worker lived';
            """)
        let problems = await Self.problems(test)
        #expect(problems.map(\.kind) == [.schedule])
        #expect(problems.first?.why.contains("was missed") == true)
    }

    @Test func runsUnderWayHaveBars() async throws {
        let test = try await Self.installation(["news"])
        try await Self.campaign(test, "spring")
        try await test.database.execute("SELECT push.start_run('spring', '\"><b>k')")
        let page = try await Self.console(test).page("/")
        #expect(page.contains("spring, run &quot;&gt;&lt;b&gt;k") && !page.contains("<b>k"))
        #expect(page.contains("<progress") || page.contains("of how many is not known yet"))
    }

    @Test func manyHubsAreCutToTheWorst() async throws {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.script(
            """
            INSERT INTO push.hub (name, settings, settings_hash)
            SELECT 'hub-' || g, h.settings, h.settings_hash FROM generate_series(1, 340) g, push.hub h;
            """)
        let worker = try await Workers(database: test.database).register(name: "here/1", version: "1")
        try await Self.serve(test, worker.id.number)
        let console = Self.console(test)
        let page = try await console.page("/")
        #expect(page.contains("these 50 of 341 hubs") && page.contains(">291 well</a>"))
        let all = try await console.page("/?all=1&after=hub-99")
        #expect(all.contains(">news</") && !all.contains("hub-100<"))
    }

    @Test func aDatabaseThatIsAwayIsSaidOnceAndThePageStays() async throws {
        let away = Database(DatabaseSettings(url: "host=/nowhere dbname=fanfare", maximumConnections: 2))
        let console = TestConsole(away, now: SystemClock.wallSeconds)
        let response = try #require(try await console.get("/"))
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == 200)
        #expect(page.contains("The database cannot be reached"))
        #expect(page.ranges(of: "Not shown:").count == 1, "\(page)")
        #expect(page.contains("fanfare check") && !page.contains("data-part=\"hubs\""))
        await away.close()
    }

    /// Somebody alters a table that the list of hubs needs.
    @Test func whatIsLockedIsLeftOutAndTheRestIsShown() async throws {
        let test = try await Self.installation(["news"])
        let holder = test.another(maximumConnections: 1)
        try await holder.withTransaction { connection in
            try await connection.execute("LOCK TABLE push.hub_state IN ACCESS EXCLUSIVE MODE")
            let rows = await Self.rows(test, statementSeconds: 5)
            #expect(rows.hubs.trouble?.kind == .tookTooLong)
            #expect(rows.workers.value?.map(\.name) == ["here/1"] && rows.schema.value != nil)
        }
        await holder.close()
    }

    @Test func aDatabaseWithoutASchemaIsSaidToHaveNone() async throws {
        // Made first, so that the server has the roles.
        _ = try await TestDatabase.make()
        let page = try await Self.console(try await TestDatabase.make(migrated: false)).page("/")
        #expect(page.contains("The schema is not the one of this program") && page.contains("fanfare migrate up"))
    }

    @Test(arguments: [[Right.approve], [.campaigns], []])
    func whoMayNotLookIsLedToWhatIsTheirs(rights: [Right]) async throws {
        let test = try await TestDatabase.make()
        let response = try #require(try await Self.console(test, Person("Bert", rights: Set(rights))).get("/"))
        #expect(response.status == 303)
        let address = try #require(response.headers[.location])
        #expect(try await Self.console(test, Person("Bert", rights: Set(rights))).get(address)?.status == 200)
    }

    @Test func aLoginOfTheConsoleMayReadAllOfIt() async throws {
        let test = try await Self.installation(["news"])
        let console = try await test.login(as: "push_console")
        let rows = await Self.rows(console)
        #expect(rows.troubles == [])
        await console.database.close()
    }

    @Test func aPageThatShowsTheSameIsNotSentAgain() async throws {
        let test = try await Self.installation(["news"])
        try await test.database.execute(
            "INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'a', '{}', now() - interval '10 min')"
        )
        // A pulse that stays, as a worker's does for 15 s.
        try await test.database.execute(
            "UPDATE push.pulse SET taken_at = clock_timestamp(), reading = push.read_pulse(), milliseconds = 1, worker = 1"
        )
        let later = Mutex(SystemClock.wallSeconds())
        let console = TestConsole(test.database, now: { later.withLock { $0 } })
        let first = try #require(try await console.get("/"))
        let mark = try #require(first.headers[.eTag])
        later.withLock { $0 += 30 }
        #expect(try await console.get("/", headers: [.ifNoneMatch: mark])?.status == 304)
        try await test.database.execute("SELECT push.pause_hub('news')")
        #expect(try await console.get("/", headers: [.ifNoneMatch: mark])?.status == 200)
    }

    @Test func theSameInSQLRuns() async throws {
        let test = try await Self.installation(["news"])
        let all = OverviewElsewhere.all(for: Self.everything)
        #expect(all.count == OverviewElsewhere.all(for: Person("Bert", rights: [.look])).count + 1)
        for elsewhere in all {
            let sql = try #require(elsewhere.sql)
            try await test.database.withTransaction { connection in
                try await connection.execute("SET TRANSACTION READ ONLY")
                try await connection.execute("SET LOCAL ROLE \(raw: elsewhere.role)")
                try await connection.execute("\(raw: sql)")
            }
        }
    }

    /// A peer counted each second for each open page (oban #496). Three tabs that ask every two seconds, for a minute of the
    /// console's clock, with 100 hubs and 10,000 messages.
    @Test func threeTabsCostThreeStatementsASecondAtMost() async throws {
        let test = try await Self.installation((100..<200).map { "hub-\($0)" })
        try await test.database.execute(
            """
            INSERT INTO push.message (hub, tag, content)
            SELECT 'hub-' || 100 + g % 100, 'tag', '{}' FROM generate_series(1, 10000) g
            """)
        let time = Mutex(0.0)
        let pages = test.another(maximumConnections: 2)
        let console = TestConsole(
            pages, sharing: Looks { time.withLock { $0 } }, now: SystemClock.wallSeconds)
        let before = try await Self.transactions(test)
        let (seconds, tabs) = (60, 3)
        for second in stride(from: 0, to: seconds, by: 2) {
            for tab in 0..<tabs {
                time.withLock { $0 = Double(second) + 0.6 * Double(tab) }
                #expect(try await console.get("/")?.status == 200)
            }
        }
        // A session reports what it did at the latest when it ends.
        await pages.close()
        // Each statement of a page is one transaction, but for those about the server and the schema.
        let cost = try await Self.transactions(test) - before
        #expect(cost > 60 && cost < 3 * seconds, "\(cost) in \(seconds) s")
    }

    private static func transactions(_ test: TestDatabase) async throws -> Int {
        await test.database.close()
        let reader = test.another(maximumConnections: 1)
        try await Awaited.until("the end of the other sessions") {
            let sessions = try await reader.query(
                """
                SELECT count(*) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
                """
            ) { rows in try rows.single { row in try row.int64() } }
            return (sessions, sessions == 0)
        }
        let count = try await reader.query(
            "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
        ) { rows in try rows.single { row in try row.int64() } }
        await reader.close()
        return Int(count)
    }
}
