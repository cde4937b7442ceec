import PushWorker
import Store
import TestSupport
import Testing

@testable import Campaigns

/// A view whose rows come again on each page would be sent without end.
@Suite(.timeLimit(.minutes(10))) struct RepeatedAudienceTests {
    /// Four pages of 5,000 messages are made, of which nothing is sent.
    private static func make(view: String) async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.script(
            """
            CREATE SCHEMA m;
            CREATE TABLE m.p (id bigint PRIMARY KEY);
            INSERT INTO m.p SELECT n FROM generate_series(1, 30000) n;
            CREATE VIEW m.v AS \(view);
            GRANT USAGE ON SCHEMA m TO push_audience;
            GRANT SELECT ON m.v TO push_audience;
            """)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create(
            "spring", spec: #"{"hubs": ["news"], "audience": {"view": "m.v"}, "content": {"": {"title": "x"}}}"#,
            draft: false)
        _ = try await campaigns.start("spring", key: "k")
        try await test.database.script("UPDATE push.run SET estimate = 5000")
        for _ in 1...4 { _ = try await Runs(database: test.database).expand(1, upTo: 5_000) }
        return test
    }

    /// Expands until it is so.
    private static func expanding(_ test: TestDatabase, until sql: String) async throws {
        let database = test.database
        try await Expanding.audiences(of: test) {
            try await Awaited.until(sql) {
                let holds = try await database.query("SELECT \(raw: sql)") { rows in
                    try rows.single { row in try row.bool() }
                }
                return (holds, holds)
            }
        }
    }

    @Test func aRunThatMakesMoreMessagesThanItsAudienceHasRowsStopsItself() async throws {
        // Each page reads other keys, which are all behind the last one.
        let test = try await Self.make(
            view: """
                SELECT (extract(epoch FROM statement_timestamp()) * 1000)::bigint * 10000 + n AS key, 'user:' || n AS tag
                  FROM generate_series(1, 7000) n
                """)
        try await Self.expanding(test, until: "(SELECT state = 'paused' FROM push.run)")
        let made = try await test.number("SELECT expanded FROM push.stream")
        let why = try await test.texts("SELECT why FROM push.run")
        #expect(
            why[0].hasPrefix("stopped itself: it made \(made) messages, and its audience has 7000 rows."), "\(why)")
        #expect(try await test.number("SELECT count(*) FROM push.audit WHERE action = 'run_paused'") == 1)
        // Who resumes it has looked: it goes on, to twice as many.
        let step = try await CampaignStore(database: test.database).steer("spring", key: nil, .resume, after: nil)
        #expect(step.key == "k")
        #expect(try await Runs(database: test.database).streams(of: [1]).map(\.countAt) == [2 * made])
        await test.database.close()
    }

    /// The guess of the planner was much too low, which says nothing about the keys.
    @Test func oneThatHasTheRowsGoesOn() async throws {
        let test = try await Self.make(view: "SELECT id AS key, 'user:' || id AS tag FROM m.p")
        let runs = Runs(database: test.database)
        #expect(try await runs.countAudience(of: 1, upTo: 20_000) == 20_000)
        #expect(try await runs.countAudience(of: 1, upTo: 40_000) == 30_000)
        // Nothing waits in front of the hub any more, so that the next page comes.
        try await test.database.script("DELETE FROM push.due")
        try await Self.expanding(test, until: "(SELECT expanded > 20000 FROM push.stream)")
        #expect(try await test.texts("SELECT state::text FROM push.run") == ["running"])
        await test.database.close()
    }
}
