import Postgres
import Store
import TestSupport
import Testing

/// What became of a run, recipient by recipient.
@Suite struct RunResultsTests {
    private static func run() async throws -> StoreFixture {
        let store = try await StoreFixture.make()
        let campaigns = CampaignStore(database: store.database)
        try await store.database.script(
            """
            SELECT push.make_list('ten');
            INSERT INTO push.list_member (list, key, tag) SELECT id, lpad(n::text, 2, '0'), 'u:' || n FROM push.list, generate_series(1, 10) n;
            """)
        _ = try await campaigns.create(
            "spring", spec: #"{"hubs": ["news"], "audience": {"list": "ten"}, "content": {"": {"title": "x"}}}"#,
            draft: false)
        _ = try await campaigns.start("spring", key: "k")
        let stream = try await store.test.number("SELECT max(id) FROM push.stream")
        for n in [4, 6] { _ = try await Runs(database: store.database).expand(stream, upTo: n) }
        // 03 is refused, 07 in doubt, 09 and 10 wait.
        try await store.database.script(
            """
            WITH gone AS (DELETE FROM push.due d USING push.message m WHERE m.id = d.id AND m.recipient < '09' RETURNING m.id, m.recipient)
            INSERT INTO push.result (id, status, reason, note)
            SELECT id, CASE recipient WHEN '03' THEN 'rejected' WHEN '07' THEN 'in_doubt' ELSE 'accepted' END::push.status,
                   CASE recipient WHEN '03' THEN 'bad_request' WHEN '07' THEN 'answer_lost' ELSE 'taken_by_hub' END::push.reason,
                   CASE recipient WHEN '03' THEN 'no such tag' END
              FROM gone
            """)
        return store
    }

    @Test(arguments: [Int32(1), 3, 4, 10, 100]) func pagesHaveEachRecipientOnceInTheOrderOfKeys(most: Int32)
        async throws
    {
        let campaigns = CampaignStore(database: try await Self.run().database)
        var (found, mark): ([RunResult], String?) = ([], nil)
        while true {
            let page = try await campaigns.results("spring", key: nil, status: nil, after: mark, most: most)
            found += page
            guard page.count == Int(most), let last = page.last else { break }
            mark = last.mark
        }
        #expect(found.map(\.recipient) == (1...10).map { $0 < 10 ? "0\($0)" : "10" })
        #expect(found.map(\.state).filter { $0 == "accepted" }.count == 6)
        #expect(found[2].reason == "bad_request" && found[2].note == "no such tag" && found[2].at != nil)
        #expect(found[8].state == "open" && found[8].at == nil && found[8].hub == "news")
    }

    @Test func oneStatusCanBeAskedFor() async throws {
        let campaigns = CampaignStore(database: try await Self.run().database)
        let rejected = try await campaigns.results("spring", key: "k", status: "rejected", after: nil, most: 100)
        #expect(rejected.map(\.recipient) == ["03"])
        let open = try await campaigns.results("spring", key: "k", status: "open", after: nil, most: 100)
        #expect(open.map(\.recipient) == ["09", "10"])
        let error = await #expect(throws: DatabaseError.self) {
            try await campaigns.results("spring", key: "k", status: "refused", after: nil, most: 100)
        }
        #expect(error?.hint?.contains("in_doubt") == true)
    }

    @Test func failuresHaveACountAnExampleAndItsNote() async throws {
        let store = try await Self.run()
        #expect(
            try await store.test.texts(
                "SELECT concat_ws(' ', f.state, f.reason, f.messages, m.recipient, f.note) FROM push.failures_of_run('spring') f JOIN push.message m ON m.id = f.example"
            ) == ["rejected bad_request 1 03 no such tag", "in_doubt answer_lost 1 07"])
    }

    @Test func theKeyIsErasedWithTheTexts() async throws {
        let store = try await Self.run()
        try await store.database.script("SELECT push.erase(ARRAY(SELECT id FROM push.message WHERE recipient = '03'))")
        let found = try await CampaignStore(database: store.database).results(
            "spring", key: nil, status: "rejected", after: nil, most: 10)
        #expect(found.map(\.recipient) == [nil] && found[0].note == "(erased)")
    }

    /// Of a slice that is open, whether all that ended in it is final or not.
    @Test func aMessageCountsByItsNewestResult() async throws {
        let store = try await Self.run()
        let campaigns = CampaignStore(database: store.database)
        func counts() async throws -> [Int64] {
            let run = try #require(try await campaigns.progress("spring", key: "k").first)
            return [run.accepted, run.rejected, run.inDoubt, run.pending, run.underWay]
        }
        #expect(try await store.test.number("SELECT count(*) FROM push.slice_count") == 0)
        #expect(try await counts() == [6, 1, 1, 2, 0])
        _ = try await campaigns.steer("spring", key: "k", .retry(reason: nil), after: nil)
        #expect(try await counts() == [6, 0, 1, 3, 0])
        _ = try await campaigns.steer("spring", key: "k", .resolve(decision: "accepted"), after: nil)
        #expect(try await counts() == [7, 0, 0, 3, 0])
        try await store.database.script(
            """
            WITH gone AS (DELETE FROM push.due d USING push.message m WHERE m.id = d.id AND m.recipient IN ('03', '09') RETURNING m.id)
            INSERT INTO push.result (id, status, reason) SELECT id, 'accepted', 'taken_by_hub' FROM gone
            """)
        #expect(try await counts() == [9, 0, 0, 1, 0])
    }

    /// Not those of other campaigns, of other runs, or of messages that lie between; nor what was decided.
    @Test func theDoubtsOfACampaignAndOfARun() async throws {
        let store = try await Self.run()
        let campaigns = CampaignStore(database: store.database)
        let seven = try await store.test.number("SELECT id FROM push.message WHERE recipient = '07'")
        try await store.database.script(
            """
            INSERT INTO push.message (hub, tag, content, id) OVERRIDING SYSTEM VALUE VALUES ('news', 'x', '{"a": "b"}', \(seven) + 100000);
            UPDATE push.slice SET last_id = last_id + 200000 WHERE n = 2;
            INSERT INTO push.result (id, status, reason) VALUES (\(seven) + 100000, 'in_doubt', 'answer_lost');
            """)
        _ = try await campaigns.create(
            "other", spec: #"{"hubs": ["news"], "audience": {"list": "ten"}, "content": {"": {"title": "x"}}}"#,
            draft: false)
        _ = try await campaigns.start("spring", key: "k2")
        _ = try await campaigns.start("other", key: "k")
        #expect(try await store.doubts.list(hub: nil, limit: 10).count == 2)
        let found = try await store.doubts.list(hub: nil, campaign: "spring", limit: 10)
        #expect(found.map(\.id) == [seven] && found.map(\.campaign) == ["spring"])
        #expect(try await store.doubts.list(hub: "news", campaign: "spring", run: "k", limit: 10) == found)
        #expect(try await store.doubts.list(hub: "app", campaign: "spring", run: "k", limit: 10) == [])
        #expect(try await store.doubts.list(hub: nil, campaign: "spring", run: "k2", limit: 10) == [])
        #expect(try await store.doubts.list(hub: nil, campaign: "other", limit: 10) == [])
        for (campaign, run, message) in [
            ("sprng", nil, "no campaign \"sprng\""), ("spring", "k3", "has no run \"k3\""),
        ] {
            let error = await #expect(throws: DatabaseError.self) {
                try await store.doubts.list(hub: nil, campaign: campaign, run: run, limit: 10)
            }
            #expect(error?.message.contains(message) == true)
        }
        _ = try await store.doubts.resolve([seven], as: .accepted)
        #expect(try await store.doubts.list(hub: nil, campaign: "spring", limit: 10) == [])
    }
}
