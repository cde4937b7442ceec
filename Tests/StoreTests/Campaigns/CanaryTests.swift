import Postgres
import Store
import TestSupport
import Testing

/// A share of a run first, and the rest when that went well. Results are written as a worker would; nothing waits.
@Suite struct CanaryTests {
    private static func make(
        _ canary: String = #"{"share": 0.1, "least": 5, "wait": "1 h"}"#, people: Int32 = 200
    ) async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.execute(
            "SELECT push.make_list('l')")
        try await test.database.execute(
            """
            INSERT INTO push.list_member (list, key, tag)
            SELECT l.id, lpad(n::text, 5, '0'), 'u:' || n FROM push.list l, generate_series(1, \(people)) n
            """)
        _ = try await CampaignStore(database: test.database).create(
            "spring",
            spec:
                #"{"hubs": ["news"], "audience": {"list": "l"}, "content": {"": {"title": "x"}}, "canary": \#(canary)}"#,
            draft: false)
        _ = try await CampaignStore(database: test.database).start("spring", key: "k")
        return test
    }

    /// Expands as long as something comes of it.
    private static func expand(_ test: TestDatabase, by n: Int = 7) async throws {
        let runs = Runs(database: test.database)
        let stream = try await test.number("SELECT min(id) FROM push.stream")
        while case let done = try await runs.expand(stream, upTo: n), done.rows > 0 || done.isExpanded {
            if done.isExpanded { return }
        }
    }

    /// Ends all messages that are made: `count` of them as `status`, the others as accepted.
    private static func end(_ test: TestDatabase, _ status: String, _ reason: String, _ count: Int32) async throws {
        try await test.database.execute(
            """
            WITH due AS (DELETE FROM push.due RETURNING id),
                 numbered AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM due)
            INSERT INTO push.result (id, status, reason)
            SELECT id, CASE WHEN n <= \(count) THEN \(status)::push.status ELSE 'accepted' END,
                   CASE WHEN n <= \(count) THEN \(reason)::push.reason ELSE 'taken_by_hub' END
              FROM numbered
            """)
    }

    private static func tend(_ test: TestDatabase, _ times: Int = 3) async throws {
        for _ in 0..<times { try await Runs(database: test.database).lookAfter() }
    }

    /// As if the clock had gone on by that hour.
    private static func anHourLater(_ test: TestDatabase) async throws {
        try await test.database.script("UPDATE push.run SET state_since = state_since - interval '1 h'")
    }

    private static func run(_ test: TestDatabase) async throws -> [String] {
        try await test.texts("SELECT concat_ws(' ', state, expanded, why) FROM push.run_progress")
    }

    /// A canary that waits through the night would go on in the morning with what the window should have dropped.
    @Test func whenItsWindowEndsTheRestIsDropped() async throws {
        let test = try await Self.make()
        try await Self.expand(test)
        try await Self.tend(test)
        try await test.database.script(
            """
            UPDATE push.run SET send_window = json_build_object(
                'days', lower(to_char(now() AT TIME ZONE 'UTC' + interval '3 days', 'Dy')), 'zone', 'UTC', 'outside', 'drop')
            """)
        try await Self.tend(test)
        #expect(
            try await test.texts(
                "SELECT concat_ws(' ', state, expanded, outside_window, is_expanded, why) FROM push.run_progress")
                == ["running 20 180 t"])
        try await Self.end(test, "accepted", "taken_by_hub", 0)
        try await Self.tend(test)
        #expect(try await test.texts("SELECT state::text FROM push.run_progress") == ["done"])
    }

    @Test func onlyItsShareIsMadeAndTheRestFollowsWhenAllIsWell() async throws {
        let test = try await Self.make()
        try await Self.expand(test)
        #expect(try await Self.run(test) == ["running 20"])
        try await Self.tend(test)
        let waits =
            "canary 20 its first 20 are made; the rest follows when their results are in, 60 min later at the earliest"
        #expect(try await Self.run(test) == [waits])
        try await Self.expand(test)
        // The time is over and results are missing; then the results are there and the time is not over.
        try await Self.anHourLater(test)
        try await Self.tend(test)
        #expect(try await Self.run(test) == [waits])
        try await Self.end(test, "accepted", "taken_by_hub", 0)
        try await test.database.script("UPDATE push.run SET state_since = now()")
        try await Self.tend(test)
        #expect(try await Self.run(test) == [waits])
        try await Self.anHourLater(test)
        try await Self.tend(test)
        #expect(try await Self.run(test) == ["running 20"])
        try await Self.expand(test)
        #expect(try await Self.run(test) == ["running 200"])
    }

    @Test func beyondAThresholdItPausesWithTheNumbersAndTheReasons() async throws {
        let test = try await Self.make(#"{"share": 0.5, "wait": "1 h", "failed": 0.02, "least": 5}"#)
        try await Self.expand(test)
        try await Self.end(test, "rejected", "target_gone", 3)
        try await Self.tend(test)
        try await Self.anHourLater(test)
        try await Self.tend(test)
        #expect(
            try await Self.run(test) == [
                "paused 100 stopped itself: of its canary of 100 3 failed (at most 2 %) and 0 are in doubt (at most 1 %): "
                    + "target_gone 3"
            ])
        // A person lets it go on, and it is not judged again.
        try await test.database.script("SELECT push.resume_run('spring', 'k')")
        try await Self.expand(test)
        try await Self.tend(test)
        #expect(try await Self.run(test) == ["running 200"])
    }

    @Test func doubtsCountByThemselves() async throws {
        let test = try await Self.make(#"{"share": 0.5, "wait": "1 h", "failed": 0.5}"#, people: 2_000)
        try await Self.expand(test, by: 1_000)
        try await Self.end(test, "in_doubt", "answer_lost", 15)
        try await Self.tend(test)
        try await Self.anHourLater(test)
        try await Self.tend(test)
        #expect(try await Self.run(test).first?.contains("15 are in doubt (at most 1 %): answer_lost 15") == true)
    }

    @Test func aPersonIsAskedWhereTheSpecSaysSo() async throws {
        let test = try await Self.make(#"{"share": 0.1, "least": 5, "wait": "1 h", "then": "ask"}"#)
        try await Self.expand(test)
        try await Self.end(test, "accepted", "taken_by_hub", 0)
        try await Self.tend(test)
        try await Self.anHourLater(test)
        try await Self.tend(test)
        #expect(
            try await Self.run(test).first?.hasPrefix("paused 20 stopped itself: its canary of 20 went well") == true)
    }

    @Test func oneThatIsPausedMeanwhileIsACanaryAgainWhenItIsResumed() async throws {
        let test = try await Self.make()
        try await Self.expand(test)
        try await Self.tend(test)
        try await test.database.script("SELECT push.pause_run('spring', 'k'); SELECT push.resume_run('spring', 'k')")
        try await Self.expand(test)
        try await Self.tend(test)
        #expect(try await Self.run(test).first?.hasPrefix("canary 20 ") == true)
        try await test.database.script("SELECT push.cancel_run('spring', 'k')")
        try await Self.tend(test)
        #expect(try await Self.run(test).first?.hasPrefix("cancelled 20 ") == true)
    }

    @Test func anAudienceThatIsSmallerThanTheCanaryIsSentAtOnce() async throws {
        let test = try await Self.make(#"{"share": 0.1, "least": 500}"#)
        try await Self.expand(test)
        try await Self.end(test, "accepted", "taken_by_hub", 0)
        try await Self.tend(test)
        #expect(try await Self.run(test) == ["done 200"])
    }

    @Test func twoHubsShareTheCanary() async throws {
        let test = try await Self.make()
        var other = TestWorker.news
        other.name = "other"
        _ = try await Hubs(database: test.database).register(other)
        try await test.database.script(
            """
            SELECT push.cancel_run('spring', 'k');
            SELECT push.create_campaign('both', replace(spec::text, '["news"]', '["news", "other"]')::json)
              FROM push.campaign_revision;
            SELECT push.start_run('both', 'k');
            """)
        let streams = try await test.texts(
            "SELECT t.id::text FROM push.stream t JOIN push.run r ON r.id = t.run WHERE r.campaign = 2 ORDER BY t.id")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for stream in streams {
                group.addTask {
                    let own = test.another()
                    for _ in 0..<20 { _ = try await Runs(database: own).expand(Int64(stream) ?? 0, upTo: 9) }
                    await own.close()
                }
            }
            try await group.waitForAll()
        }
        // A tenth of 200 on each of two hubs.
        #expect(
            try await test.number(
                "SELECT sum(t.expanded)::bigint FROM push.stream t JOIN push.run r ON r.id = t.run WHERE r.campaign = 2"
            )
                == 40)
    }

    @Test(arguments: [
        ("5", "is not an object"), (#"{"shaer": 0.1}"#, "shaer is not known"), (#"{"share": 2}"#, "canary.share"),
        (#"{"then": "stop"}"#, "neither \"continue\" nor \"ask\""), (#"{"wait": "soon"}"#, "canary.wait"),
        (#"{"outcomes": {"wait": "10m", "failed": 0.05}}"#, "no hub's own telemetry is read"),
    ])
    func aWrongCanaryIsRefusedWhenTheCampaignIsMade(canary: String, message: String) async throws {
        let error = await #expect(throws: DatabaseError.self) { _ = try await Self.make(canary) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.hint?.isEmpty == false)
    }
}
