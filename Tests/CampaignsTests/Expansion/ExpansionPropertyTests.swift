import Campaigns
import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// Whatever happens between two slices, each recipient of an audience gets one message, and where there is a cap it is
/// remembered once.
@Suite(.timeLimit(.minutes(10))) struct ExpansionPropertyTests {
    /// What may happen next to a run.
    private enum Step: CaseIterable {
        case expand, expandTwiceAtOnce, dieAfterExpanding, dieAfterPausing, dieAfterLooking, pause, resume, look
    }

    @Test(arguments: 1...6)
    func everyKeyBecomesOneMessageWhateverCrashesMeanwhile(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let size = Int32.random(in: 0...300, using: &random)
        let test = try await TestDatabase.make()
        let database = test.another()
        _ = try await Hubs(database: database).register(TestWorker.news)
        let hasCap = seed % 2 == 0
        try await Self.audience(size, hasCap: hasCap, in: database)
        let wanted = try await test.texts(
            """
            SELECT id::text FROM marketing.people p
             WHERE NOT EXISTS (SELECT FROM push.suppression s WHERE s.what = 'tag' AND s.value = p.tag) ORDER BY p.id
            """)
        let stream = try await test.number("SELECT min(id) FROM push.stream")

        var steps: [Step] = []
        while try await test.number("SELECT count(*) FROM push.stream WHERE done_at IS NULL") > 0 {
            // After many steps only those that help.
            let mends: [Step] = [.resume, .expand]
            let step = steps.count < 100 ? Step.allCases.randomElement(using: &random)! : mends[steps.count % 2]
            steps.append(step)
            try await Self.take(step, n: Int32.random(in: 1...40, using: &random), stream, database)
        }
        try await Self.take(.resume, n: 1, stream, database)

        let messages = try await test.texts(
            "SELECT content ->> 'key' FROM push.message ORDER BY (content ->> 'key')::int")
        #expect(messages == wanted, "seed \(seed): \(steps)")
        // One pointer for each that can be reached, none of them asleep; the others are refused; slices know of all.
        let counts = try await test.texts(
            """
            SELECT concat_ws(' ', (SELECT count(*) FROM push.due WHERE due_at < push.paused_until()),
                             (SELECT count(DISTINCT id) FROM push.due),
                             (SELECT count(*) FROM push.message WHERE tag NOT LIKE '%!'))
             UNION ALL
            SELECT concat_ws(' ', (SELECT coalesce(sum(rows), 0) FROM push.slice), (SELECT sum(expanded) FROM push.stream),
                             (SELECT count(*) FROM push.message))
             UNION ALL
            SELECT concat_ws(' ', count(*), count(*), count(*)) FROM push.result WHERE status = 'rejected'
            """)
        for count in counts { #expect(Set(count.split(separator: " ")).count == 1, "seed \(seed): \(counts)") }
        #expect(try await test.number("SELECT count(*) FROM push.lost") == 0)
        let reached = try await test.texts(
            """
            SELECT concat_ws(' ', count(*), count(DISTINCT u.hash), (SELECT count(*) FROM push.message WHERE tag NOT LIKE '%!'))
              FROM push.reached r, unnest(r.hashes) u(hash)
            """)
        for counts in reached {
            let numbers = Set(counts.split(separator: " "))
            #expect(hasCap ? numbers.count == 1 : counts.hasPrefix("0 0 "), "seed \(seed): \(counts)")
        }
        await database.close()
    }

    /// Every eleventh has a tag that is none, every seventh is suppressed.
    private static func audience(_ size: Int32, hasCap: Bool, in database: Database) async throws {
        try await database.script(
            """
            CREATE SCHEMA marketing;
            CREATE TABLE marketing.people (id bigint PRIMARY KEY, tag text NOT NULL);
            INSERT INTO marketing.people
            SELECT i, 'user:' || i || CASE WHEN i % 11 = 0 THEN '!' ELSE '' END FROM generate_series(1, \(size)) i;
            CREATE VIEW marketing.lapsed AS
            SELECT id AS key, tag, json_build_object('key', id::text) AS properties FROM marketing.people;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.lapsed TO push_audience;
            SELECT push.suppress('tag', tag) FROM marketing.people WHERE id % 7 = 0 AND id % 11 <> 0;
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"view": "marketing.lapsed"},
                                                    \(hasCap ? #""cap": {"count": 1, "days": 7, "group": "g"},"# : "")
                                                    "content": {"en": {"title": "Number {{key}}"}}}');
            SELECT push.start_run('spring', 'k');
            """)
    }

    private static func take(_ step: Step, n: Int32, _ stream: Int64, _ database: Database) async throws {
        let expand = "SELECT push_worker.expand_v1(\(stream), \(n))"
        switch step {
        case .expand: try await database.script(expand)
        case .expandTwiceAtOnce:
            async let one: Void = database.script(expand + "; SELECT pg_sleep(0.01)")
            async let other: Void = database.script(expand)
            _ = try await (one, other)
        case .dieAfterExpanding: await die(after: expand, database)
        case .dieAfterPausing: await die(after: "SELECT push.pause_run('spring', 'k', batch => \(n))", database)
        case .dieAfterLooking: await die(after: "SELECT push_worker.look_at_runs_v1(0, 100)", database)
        case .pause:
            // A batch may stop some of it: the next look or pause stops the rest.
            try await steer("pause_run", "batch => \(n)", in: ["running", "paused"], database)
        case .resume: try await steer("resume_run", "batch => 10000", in: ["paused"], database)
        case .look: try await RunKeeper(runs: Runs(database: database), log: TestWorker.quiet).look()
        }
    }

    /// Calls it where the run is in a state that it takes.
    private static func steer(
        _ name: String, _ batch: String, in states: [String], _ database: Database
    ) async throws {
        let state = try await database.query("SELECT state::text FROM push.run") { rows in
            try rows.first { row in try row.string() }
        }
        guard states.contains(state ?? "") else { return }
        try await database.script("SELECT push.\(name)('spring', 'k', \(batch))")
    }

    /// The connection ends before its transaction does.
    private static func die(after statement: String, _ database: Database) async {
        await #expect(throws: DatabaseError.self) {
            try await database.script(statement + "; SELECT pg_terminate_backend(pg_backend_pid()); SELECT 1")
        }
    }
}
