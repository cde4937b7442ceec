import Campaigns
import HubEmulator
import Postgres
import PushWorker
import Store
import TestSupport
import Testing

/// Campaigns from the spec to the requests at the hub: a real database, a real worker, the emulator over sockets.
@Suite(.timeLimit(.minutes(10))) struct CampaignJourneyTests {
    /// Works, with an expander beside the dispatcher, until `body` returns.
    static func working(
        _ worker: TestWorker, expanders: Int = 1, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let hubs = try await worker.test.database.query("SELECT id FROM push.hub ORDER BY id") { rows in
            try rows.map { row in try row.int32() }
        }
        let database = worker.test.another()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<expanders {
                let runs = Runs(database: database)
                let keeper = RunKeeper(runs: runs, log: TestWorker.quiet)
                group.addTask { await keeper.run() }
                group.addTask {
                    await Expander(
                        runs: runs, hubs: hubs, keeper: keeper, monotonic: Clock.system.monotonic,
                        log: TestWorker.quiet
                    ).run()
                }
            }
            try await worker.whileWorking { _ in try await body() }
            group.cancelAll()
        }
        await database.close()
    }

    static func people(_ n: Int32, on worker: TestWorker) async throws {
        try await worker.test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE TABLE marketing.people AS
            SELECT i::bigint AS id, 'user:' || i AS tag, 'No ' || i AS name FROM generate_series(1, \(n)) i;
            ALTER TABLE marketing.people ADD PRIMARY KEY (id);
            CREATE VIEW marketing.lapsed AS
            SELECT id AS key, tag, json_build_object('name', name) AS properties FROM marketing.people;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.lapsed TO push_audience;
            ANALYZE marketing.people;
            """)
    }

    private static let spring = """
        {"hubs": ["news"], "audience": {"view": "marketing.lapsed"},
         "content": {"en": {"title": "We miss you, {{name|friend}}"}, "": {"url": "https://example.com"}}}
        """

    @Test func everyRecipientOfAViewGetsOneMessageAndTheRunEndsByItself() async throws {
        let worker = try await TestWorker.make()
        try await Self.people(3_000, on: worker)
        let database = worker.test.database
        try await database.execute("SELECT * FROM push.create_campaign('spring', (\(Self.spring))::json)")
        let started = try await worker.test.texts(
            "SELECT started::text FROM push.start_run('spring', 'k') UNION ALL SELECT started::text FROM push.start_run('spring', 'k')"
        )
        #expect(started == ["true", "false"])
        try await Self.working(worker, expanders: 2) {
            try await worker.until("SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL")
        }
        let progress = try await worker.test.texts(
            "SELECT concat_ws(' ', state, expanded, total, accepted, rejected, pending, under_way) FROM push.run_progress"
        )
        #expect(progress == ["done 3000 3000 3000 0 0 0"])
        #expect(worker.taken.count == 3_000)
        #expect(Set(worker.taken).count == 3_000)
        #expect(worker.taken.contains { $0.contains("We miss you, No 77\"") })
        #expect(try await worker.lost() == [])
        let sliced = try await worker.test.texts(
            "SELECT count(*)::text || ' ' || max(rows) FROM push.slice WHERE n = 1")
        #expect(sliced == ["1 500"])
        await database.close()
    }

    @Test func aRecipientThatCannotBeReachedIsRefusedAloneAndASuppressedOneIsLeftOut() async throws {
        let worker = try await TestWorker.make()
        try await Self.people(50, on: worker)
        let database = worker.test.database
        try await database.script(
            """
            UPDATE marketing.people SET tag = 'no tag!' WHERE id = 7;
            SELECT push.suppress('tag', 'user:9');
            SELECT push.suppress('key', '10', 'asked us', now() + interval '1 day');
            SELECT push.suppress('key', '11', 'over', now() + interval '1 day');
            UPDATE push.suppression SET until = now() - interval '1 day' WHERE reason = 'over';
            """)
        try await database.execute("SELECT * FROM push.create_campaign('spring', (\(Self.spring))::json)")
        try await database.execute("SELECT * FROM push.start_run('spring', 'k')")
        try await Self.working(worker) {
            try await worker.until("SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL")
        }
        let progress = try await worker.test.texts(
            "SELECT concat_ws(' ', state, expanded, total, accepted, rejected, suppressed, reasons) FROM push.run_progress"
        )
        #expect(progress == ["done 48 50 47 1 2 { \"not_sendable\" : 1 }"])
        #expect(worker.taken.count == 47)
        await database.close()
    }

    @Test func aPausedRunLiesStillAndGoesOnWhereItStood() async throws {
        let worker = try await TestWorker.make()
        try await Self.people(4_000, on: worker)
        let database = worker.test.database
        try await database.execute("SELECT * FROM push.create_campaign('spring', (\(Self.spring))::json)")
        try await database.execute("SELECT * FROM push.start_run('spring', 'k')")
        try await Self.working(worker) {
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 > 200 }
            try await Self.steer("pause_run", worker)
            try await worker.until("SELECT count(*) FROM push.claim") { $0 == 0 }
            let sent = worker.taken.count
            #expect(sent < 4_000)
            #expect(try await worker.test.texts("SELECT state::text FROM push.run") == ["paused"])
            // A message that is enqueued now, behind all of them, is sent, and none of theirs.
            try await worker.enqueue(1, options: "priority=2")
            try await worker.until(
                "SELECT count(*) FROM push.result r JOIN push.message m ON m.id = r.id WHERE m.stream IS NULL")
            #expect(worker.taken.count == sent + 1)
            try await Self.steer("resume_run", worker)
            try await worker.until("SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL")
        }
        #expect(Set(worker.taken).count == 4_001)
        #expect(worker.taken.count == 4_001)
        #expect(try await worker.lost() == [])
        await database.close()
    }

    @Test func aCancelledRunSendsNothingMoreAndCountsWhatItStopped() async throws {
        let worker = try await TestWorker.make()
        try await Self.people(6_000, on: worker)
        let database = worker.test.database
        try await database.execute("SELECT * FROM push.create_campaign('spring', (\(Self.spring))::json)")
        try await database.execute("SELECT * FROM push.start_run('spring', 'k')")
        try await Self.working(worker) {
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 > 100 }
            try await Self.steer("cancel_run", worker)
            try await worker.until("SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL")
        }
        let sums = try await worker.test.texts(
            "SELECT concat_ws(' ', state, accepted + cancelled = expanded, cancelled > 0, pending, under_way) FROM push.run_progress"
        )
        #expect(sums == ["cancelled t t 0 0"])
        #expect(try await worker.test.number("SELECT accepted FROM push.run_progress") == Int64(worker.taken.count))
        #expect(try await worker.lost() == [])
        await database.close()
    }

    @Test func anAudienceThatCannotBeReadPausesTheRunAndSaysWhy() async throws {
        let worker = try await TestWorker.make()
        try await Self.people(2_000, on: worker)
        let database = worker.test.database
        try await database.execute("SELECT * FROM push.create_campaign('spring', (\(Self.spring))::json)")
        try await database.execute("SELECT * FROM push.start_run('spring', 'k')")
        try await database.script("REVOKE SELECT ON marketing.lapsed FROM push_audience")
        try await Self.working(worker) {
            try await worker.until("SELECT count(*) FROM push.run WHERE state = 'paused'")
        }
        let why = try await worker.test.texts("SELECT why FROM push.run")
        #expect(why[0].contains("GRANT SELECT ON marketing.lapsed TO push_audience"))
        await database.close()
    }

    /// 40001 is also what pausing a run in the same moment makes.
    @Test func aViewThatRaisesASerializationFailureEachTimePausesItsRunToo() async throws {
        let worker = try await TestWorker.make()
        try await Self.people(10, on: worker)
        let database = worker.test.database
        try await database.script(
            """
            CREATE FUNCTION marketing.liar(tag text) RETURNS text LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001', MESSAGE = 'liar'; END $$;
            CREATE OR REPLACE VIEW marketing.lapsed AS
                SELECT id AS key, marketing.liar(tag) AS tag, json_build_object('name', name) AS properties
                  FROM marketing.people;
            """)
        try await database.execute("SELECT * FROM push.create_campaign('spring', (\(Self.spring))::json)")
        try await database.execute("SELECT * FROM push.start_run('spring', 'k')")
        try await Self.working(worker) {
            try await worker.until("SELECT count(*) FROM push.run WHERE state = 'paused'")
        }
        let why = try await worker.test.texts("SELECT why FROM push.run")
        #expect(
            why.first?.contains("its audience cannot be read") == true && why.first?.contains("liar") == true, "\(why)")
        await database.close()
    }

    @Test func whatIsSentAgainOpensItsSliceAndTheRun() async throws {
        let worker = try await TestWorker.make()
        let database = worker.test.database
        try await database.execute(
            """
            SELECT * FROM push.run_campaign('digest', '2026-W48', 'news', '{A}', '{"en": {"title": "Your week"}}')
            """)
        _ = try worker.emulator.add(Fault(.next(1), status: 400))
        try await Self.working(worker) {
            try await worker.until("SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL")
            #expect(
                try await worker.test.texts("SELECT state || ' ' || rejected FROM push.run_progress") == ["failed 1"])
            try await database.execute("SELECT * FROM push.retry_run('digest', NULL)")
            try await worker.until("SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL AND state = 'done'")
        }
        #expect(
            try await worker.test.texts("SELECT concat_ws(' ', state, accepted, rejected) FROM push.run_progress") == [
                "done 1 0"
            ])
        await database.close()
    }

    @Test func aResolvedDoubtOpensItsSliceAndIsCountedAsWhatItBecame() async throws {
        let worker = try await TestWorker.make()
        let database = worker.test.database
        try await database.execute(
            """
            SELECT * FROM push.run_campaign('digest', '2026-W48', 'news', '{A,B}', '{"en": {"title": "Your week"}}')
            """)
        _ = try worker.emulator.add(Fault(.next(1), closing: .afterBody))
        try await Self.working(worker) {
            try await worker.until("SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL")
            #expect(try await Self.counts(worker) == ["done 0 0 2"])
            // The first of the packed post was sent, as a person knows, and the other one was not.
            try await database.execute("SELECT push.resolve(ARRAY[min(id)], 'accepted') FROM push.message")
            try await worker.until("SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL")
            #expect(try await Self.counts(worker) == ["done 1 0 1"])
            try await database.execute("SELECT * FROM push.resolve_run('digest', NULL, 'resend')")
            try await worker.until("SELECT in_doubt + under_way + pending FROM push.run_progress") { $0 == 0 }
            try await worker.until("SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL")
        }
        #expect(try await Self.counts(worker) == ["done 2 0 0"])
        #expect(try await worker.lost() == [])
        await database.close()
    }

    private static func counts(_ worker: TestWorker) async throws -> [String] {
        try await worker.test.texts("SELECT concat_ws(' ', state, accepted, rejected, in_doubt) FROM push.run_progress")
    }

    /// A slice that is not counted needs its messages, however old they are.
    @Test func purgeKeepsTheMessagesOfASliceUntilItIsCounted() async throws {
        let test = try await TestDatabase.make()
        let database = test.database
        _ = try await Hubs(database: database).register(TestWorker.news)
        try await database.script(
            """
            SELECT push.run_campaign('digest', '2026-W48', 'news', '{A,B}', '{"en": {"title": "Your week"}}');
            SELECT push_worker.expand_v1(id, 10) FROM push.stream;
            SELECT push.cancel(id) FROM push.message;
            SET LOCAL session_replication_role = replica;       -- without the trigger that refuses changes
            UPDATE push.message SET created_at = created_at - interval '40 days';
            UPDATE push.result SET at = at - interval '40 days';
            """)
        #expect(try await Self.purged(test) == ["message kept"])
        try await RunKeeper(runs: Runs(database: database), log: TestWorker.quiet).look()
        #expect(try await test.texts("SELECT state || ' ' || cancelled FROM push.run_progress") == ["failed 2"])
        #expect(try await Self.purged(test) == ["message deleted"])
        try await RunKeeper(runs: Runs(database: database), log: TestWorker.quiet).look()
        #expect(try await test.texts("SELECT state || ' ' || cancelled FROM push.run_progress") == ["failed 2"])
        await database.close()
    }

    private static func purged(_ test: TestDatabase) async throws -> [String] {
        var done: [String] = []
        while true {
            let steps = try await Purge.step(
                in: test.database, olderThan: "30 days", batch: 1_000, keepAudit: "365 days")
            done += steps.filter { $0.what == "message" && $0.action != "passed" }.map { "\($0.what) \($0.action)" }
            guard steps.contains(where: \.isProgress) else { return done }
        }
    }

    /// The messages of a rate are spread behind those of the slice before, unless that lies in a time that has not come.
    @Test func aClockThatIsSetBackDoesNotStopARunWithARate() async throws {
        let test = try await TestDatabase.make()
        let database = test.database
        _ = try await Hubs(database: database).register(TestWorker.news)
        try await database.script(
            """
            SELECT push.run_campaign('digest', 'k', 'news', '{A,B,C,D,E}', '{"en": {"title": "Your week"}}', rate => 0.05);
            SELECT push_worker.expand_v1(id, 10) FROM push.stream;
            """)
        #expect(try await test.number("SELECT rows FROM push.stream s, push_worker.expand_v1(s.id, 10)") == 0)
        try await database.script("UPDATE push.slice SET due_to = due_to + interval '1 hour'")
        #expect(try await test.number("SELECT rows FROM push.stream s, push_worker.expand_v1(s.id, 10)") == 1)
        #expect(try await test.number("SELECT count(*) FROM push.due WHERE due_at > now() + interval '1 min'") == 0)
        await database.close()
    }

    /// Calls a steering function until it is through.
    private static func steer(_ name: String, _ worker: TestWorker) async throws {
        var (key, after): (String?, String?) = (nil, nil)
        repeat {
            let cast = name == "resume_run" ? "::bigint" : ""
            let done = try await worker.test.database.query(
                "SELECT key, next::text FROM push.\(raw: name)('spring', \(key), after => (\(after)::text)\(raw: cast))"
            ) { rows in try rows.first { row in (try row.string(), try row.stringOrNil()) } }
            (key, after) = (done?.0, done?.1)
        } while after != nil
    }
}
