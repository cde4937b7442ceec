import Postgres
import Store
import TestSupport
import Testing

/// What one call does not finish goes on with the same run, also when a schedule starts a newer one in between.
@Suite struct SteerRunTests {
    private static let functions = ["cancel_run", "pause_run"]

    /// Run `a` has 30 messages that wait.
    private static func make() async throws -> (TestDatabase, CampaignStore) {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.execute("SELECT push.make_list('l')")
        try await test.database.execute(
            """
            INSERT INTO push.list_member (list, key, tag)
            SELECT l.id, lpad(n::text, 5, '0'), 'u:' || n FROM push.list l, generate_series(1, 30) n
            """)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create(
            "spring", spec: #"{"hubs": ["news"], "audience": {"list": "l"}, "content": {"": {"title": "x"}}}"#,
            draft: false)
        try await start("a", in: test, campaigns)
        return (test, campaigns)
    }

    private static func start(_ key: String, in test: TestDatabase, _ campaigns: CampaignStore) async throws {
        _ = try await campaigns.start("spring", key: key)
        _ = try await Runs(database: test.database).expand(
            try await test.number("SELECT max(id) FROM push.stream"), upTo: 30)
    }

    private static func waiting(_ test: TestDatabase) async throws -> [String] {
        try await test.texts(
            """
            SELECT concat_ws(' ', r.key, count(d.id) FILTER (WHERE d.due_at < push.paused_until()))
              FROM push.run r
                   JOIN push.stream t ON t.run = r.id
                   LEFT JOIN push.message m ON m.stream = t.id
                   LEFT JOIN push.due d ON d.id = m.id
             GROUP BY r.id, r.key ORDER BY r.id
            """)
    }

    @Test(arguments: functions) func itGoesOnWithTheRunThatItBegan(_ function: String) async throws {
        let (test, campaigns) = try await Self.make()
        #expect(
            try await test.texts(
                "SELECT key FROM push.\(raw: function)('spring', NULL, batch => 10) WHERE next IS NOT NULL")
                == ["a"])
        try await Self.start("b", in: test, campaigns)
        let error = await #expect(throws: DatabaseError.self) {
            try await test.database.script("SELECT push.\(function)('spring', NULL, after => '(0,,,t,0)')")
        }
        #expect(
            error?.message == "after says where a run of campaign spring goes on, but no key says which run",
            "\(error?.message ?? "")")
        #expect(try await Self.waiting(test) == ["a 20", "b 30"])
    }

    /// The worker ended with them on the wire, and they may be sent again: when the run is.
    @Test func whatARescueReturnsOfAPausedRunLiesStill() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            """
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"tags": ["A", "B"]}, "onDoubt": "resend",
                                                    "content": {"": {"title": "x"}}}');
            SELECT push.start_run('spring', 'k');
            SELECT push_worker.expand_v1(id, 10) FROM push.stream;
            """)
        let claim = try #require(try await store.queue.claim(hub: store.hub, priority: .bulk, after: .start, limit: 10))
        try await store.intend([claim.messages.map(\.id)], under: claim.id)
        _ = try await CampaignStore(database: store.database).steer(
            "spring", key: nil, .pause(reason: nil), after: nil)
        // For longer than a worker looks after it.
        try await store.database.script("UPDATE push.run SET state_since = state_since - interval '6 min'")
        _ = try await store.workers.rescue(claims: [claim.id])
        #expect(try await store.count("due") == 2)
        #expect(try await store.test.number("SELECT count(*) FROM push.due WHERE due_at < push.paused_until()") == 0)
    }

    /// As people write it in psql. A newer run that is over, and a test, are not meant.
    @Test(arguments: ["pause_run", "cancel_run", "resume_run", "set_run_rate"])
    func theNameAloneMeansTheNewestRunThatIsNotOver(function: String) async throws {
        let (test, campaigns) = try await Self.make()
        try await Self.start("b", in: test, campaigns)
        _ = try await campaigns.start("spring", key: "over")
        try await test.database.script(
            """
            UPDATE push.run SET state = 'done', ended_at = now(), closed_at = now() WHERE key = 'over';
            SELECT push.test_campaign('spring', '{team}');
            """)
        if function == "resume_run" { try await test.database.script("SELECT push.pause_run('spring')") }
        try await test.database.script("SELECT push.\(function)('spring')")
        let expected =
            switch function {
            case "cancel_run": "cancelling"
            case "pause_run": "paused"
            default: "running"
            }
        #expect(
            try await test.texts(
                "SELECT concat_ws(' ', key, state) FROM push.run WHERE NOT is_test ORDER BY id")
                == ["a running", "b \(expected)", "over done"])
    }

    @Test func eachStepSaysOfWhichRunItIs() async throws {
        let (_, campaigns) = try await Self.make()
        let steps: [(CampaignStore.Steering, Int64)] = [
            (.pause(reason: nil), 30), (.resume, 30), (.retry(reason: nil), 0), (.resolve(decision: "rejected"), 0),
            (.cancel, 30),
        ]
        for (steering, messages) in steps {
            var step = try await campaigns.steer("spring", key: nil, steering, after: nil)
            var sum = step.messages
            while let next = step.next {
                step = try await campaigns.steer("spring", key: step.key, steering, after: next)
                sum += step.messages
            }
            #expect(step.key == "a" && sum == messages, "\(steering): \(sum) of \(step.key)")
        }
    }
}
