import Postgres
import Store
import TestSupport
import Testing

/// What waits ahead of sending is counted whole: the 50,000 of docs/campaigns.md hold by it.
@Suite struct AheadOfStreamTests {
    /// Found by `bin/chaos --campaign`: a slice of which nobody is left hid the slices before it, so that the audience was
    /// expanded further and further ahead.
    @Test(arguments: [
        "SELECT push.suppress('key', key) FROM push.list_member WHERE key BETWEEN '001001' AND '002000'",
        "UPDATE push.list_member SET tag = 'not a tag' WHERE key BETWEEN '001001' AND '002000'",
    ])
    func aSliceWithoutPointersHidesNothing(emptied: String) async throws {
        let test = try await TestDatabase.make()
        let news = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.script(
            """
            SELECT push.make_list('beta');
            INSERT INTO push.list_member (list, key, tag)
            SELECT 1, lpad(n::text, 6, '0'), 'user:' || n FROM generate_series(1, 4000) n;
            \(emptied);
            """)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create(
            "x", spec: #"{"hubs": ["news"], "audience": {"list": "beta"}, "content": {"en": {"a": "b"}}}"#, draft: false
        )
        _ = try await campaigns.start("x", key: "k")
        let runs = Runs(database: test.database)
        for waiting in [1_000, 1_000, 2_000] {
            _ = try await runs.expand(1, upTo: 1_000)
            #expect(try await test.number("SELECT count(*) FROM push.due") == waiting)
            #expect(try await runs.streams(of: [news]).map(\.ahead) == [waiting])
        }
        await test.database.close()
    }
}
