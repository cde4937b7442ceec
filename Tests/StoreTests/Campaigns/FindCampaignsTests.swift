import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// With ten thousand campaigns a page of fifty costs what it shows, with and without statistics.
@Suite(.serialized, .timeLimit(.minutes(10))) struct FindCampaignsTests {
    /// c00001 to c09999 had three runs each, the newest of them open, and start themselves: inserted directly into the tables.
    private static let many = Task {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        _ = try await CampaignStore(database: test.database).create(
            "base",
            spec: #"""
                {"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"a": "b"}},
                 "schedule": {"cron": "0 8 * * *", "zone": "Europe/Berlin"}}
                """#, draft: false)
        try await test.database.script(
            """
            INSERT INTO push.campaign (name, revision, next_at, fires_at, upcoming, unapproved)
            SELECT 'c' || to_char(n, 'FM00000'), 1, t.at, t.at, ARRAY(SELECT t.at + d * interval '1 day' FROM generate_series(0, 4) d),
                   CASE WHEN n % 100 = 0 THEN 'nobody approved it' END
              FROM generate_series(1, 9999) n, LATERAL (SELECT now() + n * interval '10 s' AS at) t;
            INSERT INTO push.campaign_revision (campaign, revision, hash, spec)
            SELECT c.id, 1, r.hash, r.spec FROM push.campaign c, push.campaign_revision r WHERE c.name <> 'base';
            INSERT INTO push.run (campaign, revision, key, estimate, state, ended_at, closed_at)
            SELECT c.id, 1, k, 1000, CASE k WHEN 3 THEN 'running' ELSE 'done' END::push.run_state,
                   CASE WHEN k <> 3 THEN now() END, CASE WHEN k <> 3 THEN now() END
              FROM push.campaign c, generate_series(1, 3) k ORDER BY k, c.id;
            INSERT INTO push.stream (run, hub, priority, expanded, slices, done_at)
            SELECT r.id, h.id, 2, 1000, 1, now() FROM push.run r, push.hub h ORDER BY r.id;
            INSERT INTO push.slice (stream, n, first_id, last_id, rows, due_from, due_to)
            SELECT t.id, 1, t.id * 1000, t.id * 1000 + 999, 1000, now(), now() FROM push.stream t;
            INSERT INTO push.slice_count (stream, n, status, reason, rows)
            SELECT t.id, 1, 'accepted', 'taken_by_hub', 1000 FROM push.stream t;
            """)
        return test
    }

    /// Rows of tables that a call reads, in a session that has run it before.
    private static func reads(
        _ test: TestDatabase, _ call: @escaping @Sendable (CampaignStore) async throws -> Void
    ) async throws -> (campaigns: Int64, runs: Int64, counts: Int64) {
        let session = test.another(maximumConnections: 1)
        defer { Task { await session.close() } }
        func counts() async throws -> [Int64] {
            // What an idle session has read is not in the views until it is flushed.
            try await session.execute("SELECT pg_stat_force_next_flush()")
            return try await session.query(
                """
                SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FILTER (WHERE relname IN ('campaign', 'campaign_revision')), 0)::bigint,
                       coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FILTER (WHERE relname = 'run'), 0)::bigint,
                       coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FILTER (WHERE relname IN ('stream', 'slice', 'slice_count')), 0)::bigint
                  FROM pg_stat_all_tables WHERE schemaname = 'push'
                """
            ) { rows in try rows.single { row in [try row.int64(), try row.int64(), try row.int64()] } }
        }
        try await call(CampaignStore(database: session))
        let before = try await counts()
        try await call(CampaignStore(database: session))
        let after = try await counts()
        return (after[0] - before[0], after[1] - before[1], after[2] - before[2])
    }

    @Test func aPageReadsWhatItShows() async throws {
        let test = try await Self.many.value
        for analysed in [false, true] {
            if analysed { try await test.database.script("ANALYZE") }
            let page = try await Self.reads(test) { campaigns in
                let lines = try await campaigns.page(after: "c05000", limit: 51)
                #expect(lines.count == 51 && lines.first?.campaign.name == "c05001")
                #expect(lines.allSatisfy { $0.starts.count == 5 && $0.campaign.accepted == 1_000 })
            }
            #expect(page.campaigns < 1_500 && page.runs < 500 && page.counts < 500, "\(page)")
        }
    }

    /// Of campaigns that are left out nothing is counted, and one run is looked at.
    @Test func aStateThatNoRunHasReadsOneRunOfEach() async throws {
        let test = try await Self.many.value
        let none = try await Self.reads(test) { campaigns in
            let lines = try await campaigns.page(.init(state: "paused"), limit: 51)
            #expect(lines.isEmpty)
        }
        #expect(none.runs <= 10_000 && none.counts == 0, "\(none)")
        let unapproved = try await Self.reads(test) { campaigns in
            let lines = try await campaigns.page(.init(state: "unapproved"), limit: 51)
            #expect(lines.count == 51 && lines.allSatisfy { $0.campaign.name.hasSuffix("00") && $0.awaited?.by != nil })
        }
        #expect(unapproved.runs < 500, "\(unapproved)")
    }

    /// The zones of the first two hundred are read, and no others.
    @Test func theFirstStartsAreFoundAmongTenThousandSchedules() async throws {
        let test = try await Self.many.value
        let read = try await Self.reads(test) { campaigns in
            let starts = try await campaigns.starts(withinDays: 7, limit: 201)
            #expect(starts.count == 201 && starts.map(\.at) == starts.map(\.at).sorted())
            #expect(starts.first?.campaign == "c00001" && starts.allSatisfy { $0.zone == "Europe/Berlin" })
        }
        #expect(read.campaigns < 13_000, "\(read)")
    }

    /// What the page of a run asks, besides the example of a failure.
    @Test func oneRunOfThirtyThousandIsFoundByItsIndex() async throws {
        let test = try await Self.many.value
        let read = try await Self.reads(test) { campaigns in
            let run = try await campaigns.run("c05000", key: "3")
            #expect(run?.accepted == 1_000 && run?.unserved == ["news"])
            let hubs = try await campaigns.hubs(ofRun: "3", of: "c05000")
            #expect(hubs == [RunHub(hub: "news", workers: 0, expanded: 1_000, isExpanded: true)])
            let minutes = try await campaigns.minutes(ofRun: "3", of: "c05000")
            #expect(minutes.map(\.made) == [1_000] && minutes.map(\.accepted) == [1_000])
            let (zones, failures) = (
                try await campaigns.zones(ofRun: "3", of: "c05000"),
                try await campaigns.failures(ofRun: "3", of: "c05000")
            )
            #expect(zones.isEmpty && failures.isEmpty)
            let (bounds, other) = (
                try await campaigns.bounds(ofRun: "3", of: "c05000"),
                try await campaigns.bounds(ofRun: "4", of: "c05000")
            )
            #expect(bounds == RunBounds() && other == nil)
            let newest = try await campaigns.newestRun(of: "c05000")
            #expect(newest.exists && newest.key == "3")
        }
        #expect(read.campaigns < 50 && read.runs < 50 && read.counts < 100, "\(read)")
    }

    @Test func whatCannotBeCountedIsRefused() async throws {
        let campaigns = CampaignStore(database: try await Self.many.value.database)
        for limit: Int32 in [0, 1_001] {
            let error = await #expect(throws: DatabaseError.self) { try await campaigns.page(limit: limit) }
            #expect(error?.hint == "1 to 1000 campaigns.")
        }
        let error = await #expect(throws: DatabaseError.self) { try await campaigns.starts(withinDays: 7, limit: 0) }
        #expect(error?.hint == "1 to 10000 times.")
    }

    @Test(arguments: ["push_monitor", "push_campaign", "push_approve", "push_operator"])
    func eachRoleOfPeopleReadsIt(role: String) async throws {
        let login = try await Self.many.value.login(as: role)
        let campaigns = CampaignStore(database: login.database)
        #expect(try await campaigns.page(limit: 1).first?.campaign.name == "base")
        #expect(try await campaigns.starts(withinDays: 1, limit: 1).count == 1)
        await login.database.close()
    }
}
