import Postgres
import Store
import TestSupport
import Testing

/// Campaigns that are put away.
@Suite struct ArchiveTests {
    private static let spec = #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"a": "b"}}}"#

    private static func make(_ names: String...) async throws -> (TestDatabase, CampaignStore) {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        let campaigns = CampaignStore(database: test.database)
        for name in names { _ = try await campaigns.create(name, spec: spec, draft: false) }
        return (test, campaigns)
    }

    @Test(arguments: [
        "SELECT push.start_run('a', 'k')", "SELECT push.test_campaign('a', '{team}')",
        "SELECT push.schedule_campaign('a', '\"daily 09:00 UTC\"')",
        "SELECT push.backfill_campaign('a', '{2020-01-01}')",
        "SELECT push.create_campaign('a', (SELECT spec FROM push.campaign_revision))",
        "SELECT push.run_campaign('a', key => 'k', hub => 'news', tags => '{A}', content => '{\"\": {\"a\": \"c\"}}')",
    ]) func anArchivedCampaignIsNeitherStartedNorChanged(_ statement: String) async throws {
        let (test, campaigns) = try await Self.make("a")
        try await campaigns.archive("a")
        let error = await #expect(throws: DatabaseError.self) { try await test.database.script(statement) }
        #expect(error?.message == "campaign a is archived")
        #expect(error?.hint == "Bring it back: fanfare campaign unarchive a")
        #expect(try await test.number("SELECT count(*) FROM push.campaign_revision") == 1)
        try await campaigns.unarchive("a")
        #expect(try await campaigns.start("a", key: "k"))
    }

    @Test func aTestThatWaitsForAnArchivingIsRefused() async throws {
        let (test, campaigns) = try await Self.make("a")
        let holder = test.another(maximumConnections: 1)
        let testing = try await holder.withTransaction { connection in
            try await connection.execute("SELECT push.archive_campaign('a')")
            let testing = Task { try await test.database.script("SELECT push.test_campaign('a', '{team}')") }
            try await Awaited.until("the test waits") {
                let waiting = try await test.number(
                    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
                )
                return (waiting, waiting == 1)
            }
            return testing
        }
        let error = await #expect(throws: DatabaseError.self) { try await testing.value }
        #expect(error?.message == "campaign a is archived")
        #expect(try await campaigns.progress("a", key: nil).isEmpty)
        await holder.close()
    }

    @Test func theResultsOfAnArchivedCampaignCanBeRead() async throws {
        let (test, campaigns) = try await Self.make("a")
        _ = try await campaigns.start("a", key: "k")
        let refused = await #expect(throws: DatabaseError.self) { try await campaigns.archive("a") }
        #expect(refused?.message == "run \"k\" of campaign a is not over")
        #expect(refused?.hint == "Wait for its end, or cancel it: SELECT * FROM push.cancel_run('a', 'k')")
        _ = try await campaigns.steer("a", key: "k", .cancel, after: nil)
        try await Runs(database: test.database).lookAfter()
        try await campaigns.archive("a")
        #expect(try await campaigns.progress("a", key: nil).map(\.state) == [.cancelled])
        #expect(try await campaigns.results("a", key: "k", status: nil, after: nil, most: 10).isEmpty)
    }

    /// A schedule fires at no moment between the two.
    @Test func anArchivedCampaignDoesNotStartItself() async throws {
        let (test, campaigns) = try await Self.make("a")
        _ = try await campaigns.schedule("a", #""daily 09:00 UTC""#)
        let fires: SQL = "SELECT (fires_at IS NOT NULL)::text FROM push.campaign"
        #expect(try await test.texts(fires) == ["true"])
        try await campaigns.archive("a")
        #expect(try await test.texts(fires) == ["false"])
        #expect(try await test.number("SELECT count(*) FROM push.campaign_next") == 0)
        try await campaigns.pauseSchedule("a", note: nil)
        try await campaigns.resumeSchedule("a", note: nil)
        #expect(try await test.texts(fires) == ["false"])
        try await campaigns.unarchive("a")
        #expect(try await test.texts(fires) == ["true"])
    }
}
