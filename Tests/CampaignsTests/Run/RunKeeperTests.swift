import Store
import TestSupport
import Testing

@testable import Campaigns

@Suite struct RunKeeperTests {
    /// More of them than one page has, of a hub in trouble, and before the one whose time is up.
    @Test func aLookReachesEveryRunHoweverManyAreOpen() async throws {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.script(
            """
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"a": "b"}}}');
            SELECT push.start_run('spring', n::text) FROM generate_series(1, \(2 * RunKeeper.page + 5)) n;
            UPDATE push.run SET ends_at = now() WHERE id = (SELECT max(id) FROM push.run);
            """)
        try await RunKeeper(runs: Runs(database: test.database), log: TestWorker.quiet).look()
        #expect(
            try await test.texts("SELECT state::text FROM push.run ORDER BY id DESC LIMIT 2") == ["expired", "running"])
        await test.database.close()
    }
}
