import Postgres
import PushWorker
import Store
import TestSupport
import Testing

@testable import Campaigns

/// All numbers of the schema where they are after a thousand times the use that docs/storage.md, "Numbers that run out", reckons with.
@Suite(.timeLimit(.minutes(10))) struct HighNumbersTests {
    @Test func everythingWorksWithNumbersBeyondThoseOfAnInteger() async throws {
        let test = try await TestDatabase.make()
        try await test.database.script(
            """
            SELECT setval(format('%I.%I', s.schemaname, s.sequencename)::regclass,
                          CASE s.data_type::text WHEN 'integer' THEN 2147480000 ELSE 400000000000000 END)
              FROM pg_sequences s
             WHERE s.schemaname = 'push';
            SELECT push.make_partitions();
            """)
        let worker = try await TestWorker.make(on: test)
        #expect(try await test.texts("SELECT id::text FROM push.hub") == ["2147480001"])
        let mark = try await test.texts("SELECT next_mark FROM push.ended_since()")[0]
        try await CampaignJourneyTests.people(3_000, on: worker)
        try await test.database.script(
            """
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"view": "marketing.lapsed"},
                "cap": {"count": 1, "days": 7, "group": "g"}, "content": {"": {"title": "Hi {{name}}"}}}');
            SELECT push.start_run('spring', 'k');
            INSERT INTO push.message (hub, tag, content) SELECT 'news', 'a' || n, '{"m": "x"}' FROM generate_series(1, 10) n;
            INSERT INTO push.message (hub, tag, content, after)
            SELECT 'news', 'late', '{"m": "y"}', max(id) FROM push.message WHERE tag = 'a1';
            """)
        try await CampaignJourneyTests.working(worker) {
            try await worker.until("SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL")
            try await worker.until("SELECT count(*) FROM push.due") { $0 == 0 }
            try await worker.until("SELECT count(*) FROM push.claim") { $0 == 0 }
        }
        #expect(try await worker.statuses() == "accepted 3011")
        #expect(
            try await test.texts("SELECT concat_ws(' ', state, expanded, accepted) FROM push.run_progress")
                == ["done 3000 3000"])
        // Nothing lies where no partition was made.
        #expect(
            try await test.number(
                """
                SELECT (SELECT count(*) FROM push.message_default) + (SELECT count(*) FROM push.result_default)
                     + (SELECT count(*) FROM push.post_default) + (SELECT count(*) FROM push.answer_default)
                """) == 0)
        let read = try await test.number(
            "SELECT count(*) FROM push.ended_since(\(mark), at_most => 1000) WHERE id IS NOT NULL")
        #expect(read == 1_000)
        #expect(try await test.number("SELECT min(id) / 10000 FROM push.post") > 400_000_000_000_000)
        #expect(try await worker.lost() == [])
        await test.database.close()
    }
}
