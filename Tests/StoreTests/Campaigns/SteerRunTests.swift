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
