import Store
import TestSupport
import Testing

/// A run that stops itself goes by the results of the same messages: accepted ones count as soon as rejected ones do.
@Suite struct StopWhenTests {
    /// A run of 300 in one slice, of which so many were rejected, 10 wait, and the others were accepted.
    private static func make(rejected: Int) async throws -> (TestDatabase, Runs) {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.script(
            """
            SELECT push.make_list('l');
            INSERT INTO push.list_member (list, key, tag) SELECT 1, n::text, 'user:' || n FROM generate_series(1, 300) n;
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"list": "l"}, "content": {"": {"a": "b"}},
                                                    "stopWhen": {"rejected": 0.02, "least": 200}}');
            SELECT push.start_run('spring', 'k');
            SELECT push_worker.expand_v1(1, 299);
            """)
        try await end(289, rejected: rejected, in: test)
        return (test, Runs(database: test.database))
    }

    private static func end(_ n: Int, rejected: Int, in test: TestDatabase) async throws {
        try await test.database.script(
            """
            WITH ended AS (
                DELETE FROM push.due WHERE id IN (SELECT id FROM push.due ORDER BY id LIMIT \(n)) RETURNING id
            )
            INSERT INTO push.result (id, status, reason)
            SELECT e.id, (CASE WHEN e.nth <= \(rejected) THEN 'rejected' ELSE 'accepted' END)::push.status,
                   (CASE WHEN e.nth <= \(rejected) THEN 'target_gone' ELSE 'taken_by_hub' END)::push.reason
              FROM (SELECT id, row_number() OVER (ORDER BY id) AS nth FROM ended) e
            """)
    }

    @Test func acceptedOnesOfASliceThatIsNotThroughCount() async throws {
        let (test, runs) = try await Self.make(rejected: 3)
        try await runs.lookAfter()
        #expect(try await test.texts("SELECT state::text FROM push.run") == ["running"])
        await test.database.close()
    }

    /// Otherwise there would be no way on: what is known stays known.
    @Test func whoResumesItHasSeenTheResultsUntilThen() async throws {
        let (test, runs) = try await Self.make(rejected: 29)
        try await runs.lookAfter()
        #expect(
            try await test.texts("SELECT concat_ws(' ', state, why) FROM push.run")
                == ["paused stopped itself: 29 of 289 results were rejected, more than 2 %"])
        try await test.database.script("SELECT push.resume_run('spring')")
        try await runs.lookAfter()
        #expect(try await test.texts("SELECT state::text FROM push.run") == ["running"])
        // And what failed may be sent again, also while it is paused.
        try await test.database.script("SELECT push.pause_run('spring')")
        #expect(try await test.number("SELECT retried FROM push.retry_run('spring', NULL)") == 29)
        await test.database.close()
    }
}
