import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What is kept of the changes of runs, and how it is read: each once, in order, and none missed.
@Suite(.timeLimit(.minutes(10))) struct RunEventTests {
    /// A campaign to twenty recipients, which was not started.
    private static func make(_ members: String = "") async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.script(
            """
            SELECT push.make_list('l');
            INSERT INTO push.list_member (list, key, tag) SELECT l.id, n::text, 'u:' || n FROM push.list l, generate_series(1, 20) n
            """)
        _ = try await CampaignStore(database: test.database).create(
            "spring",
            spec: #"{"hubs": ["news"], "audience": {"list": "l"}, "content": {"": {"title": "x"}}\#(members)}"#,
            draft: false)
        return test
    }

    private static func start(_ test: TestDatabase, _ key: String = "k") async throws {
        _ = try await CampaignStore(database: test.database).start("spring", key: key)
    }

    private static func steer(_ test: TestDatabase, _ steering: CampaignStore.Steering) async throws {
        _ = try await CampaignStore(database: test.database).steer("spring", key: "k", steering, after: nil)
    }

    private static func expand(_ test: TestDatabase) async throws {
        let stream = try await test.number("SELECT min(id) FROM push.stream")
        for _ in 0..<5 { _ = try await Runs(database: test.database).expand(stream, upTo: 100) }
    }

    /// Ends all messages that are due, and looks after the run, as if an hour had passed.
    private static func end(_ test: TestDatabase, _ status: String, _ reason: String) async throws {
        try await test.database.execute(
            """
            WITH due AS (DELETE FROM push.due WHERE due_at < push.paused_until() RETURNING id)
            INSERT INTO push.result (id, status, reason) SELECT id, \(status)::push.status, \(reason)::push.reason FROM due
            """)
        try await lookAfter(test)
    }

    private static func lookAfter(_ test: TestDatabase) async throws {
        try await test.database.script("UPDATE push.run SET state_since = state_since - interval '1 h'")
        for _ in 0..<3 { try await Runs(database: test.database).lookAfter() }
    }

    /// The events that are kept: event, state before, state.
    private static func events(_ test: TestDatabase, after mark: String = "0") async throws -> [String] {
        try await CampaignStore(database: test.database).events(after: mark, of: "spring", most: 1000).events
            .map { "\($0.event) \($0.was ?? "-") \($0.state)" }
    }

    @Test func aRunThatIsCancelled() async throws {
        let test = try await Self.make(#", "stopWhen": {"rejected": 0.1, "least": 10}"#)
        try await Self.start(test)
        try await Self.start(test)  // joins it
        try await Self.steer(test, .pause(reason: "lunch"))
        try await Self.steer(test, .pause(reason: "again"))
        try await Self.steer(test, .resume)
        try await Self.expand(test)
        try await test.database.script("UPDATE push.stream SET done_at = NULL")
        try await Self.end(test, "rejected", "target_gone")
        try await CampaignStore(database: test.database).setRate("spring", key: "k", rate: 5)
        try await Self.steer(test, .cancel)
        try await Self.lookAfter(test)
        #expect(
            try await Self.events(test) == [
                "start - running", "pause running paused", "resume paused running", "too_much_fails running paused",
                "cancel paused cancelling", "is_stopped cancelling cancelled",
            ])
        let (events, _, _) = try await CampaignStore(database: test.database).events(after: "0", of: nil, most: 2)
        #expect(events.last?.why?.hasSuffix(": lunch") == true && events.last?.key == "k", "\(events)")
        #expect(try await events.last?.who == test.texts("SELECT session_user").first)
    }

    @Test func aRunWithACanaryThatIsRetried() async throws {
        let test = try await Self.make(#", "canary": {"share": 0.5, "least": 5, "wait": "10 min"}"#)
        try await Self.start(test)
        try await Self.expand(test)
        try await Self.lookAfter(test)
        try await Self.end(test, "accepted", "taken_by_hub")
        try await Self.expand(test)
        try await Self.end(test, "rejected", "target_gone")
        try await Self.steer(test, .retry(reason: nil))
        try await Self.end(test, "accepted", "taken_by_hub")
        #expect(
            try await Self.events(test) == [
                "start - running", "canary_is_made running canary", "canary_passes canary running",
                "is_sent running done", "send_again done running", "is_sent running done",
            ])
    }

    @Test func aRunThatExpiresEndsWhenItsLastMessagesHave() async throws {
        let test = try await Self.make(#", "maxDuration": "10 min""#)
        try await Self.start(test)
        let stream = try await test.number("SELECT min(id) FROM push.stream")
        _ = try await Runs(database: test.database).expand(stream, upTo: 5)
        try await test.database.script("UPDATE push.run SET ends_at = now()")
        try await Self.lookAfter(test)
        try await Self.lookAfter(test)
        #expect(try await Self.events(test) == ["start - running", "time_is_up running expired"])
        try await Self.end(test, "accepted", "taken_by_hub")
        #expect(try await Self.events(test).dropFirst(2) == ["is_stopped expired expired"])
    }

    /// Whatever moves a run, by the table of transitions.
    @Test func everyTransitionIsOneEvent() async throws {
        let test = try await Self.make()
        try await Self.start(test)
        let transitions = try await test.texts(
            "SELECT concat_ws(' ', t.event, t.state, t.next) FROM push.run_transition t WHERE t.next <> t.state")
        #expect(transitions.count > 15)
        for transition in transitions {
            let words = transition.split(separator: " ").map(String.init)
            try await test.database.script(
                "UPDATE push.run SET state = '\(words[1])', closed_at = NULL, ended_at = NULL")
            try await test.database.script("DELETE FROM push.run_event")
            try await test.database.script("SELECT push_internal.change_run(id, '\(words[0])', NULL) FROM push.run")
            #expect(try await Self.events(test) == [transition])
        }
    }

    @Test func aStartThatIsRolledBackAndATestLeaveNone() async throws {
        let test = try await Self.make()
        try await test.database.script("BEGIN; SELECT push.start_run('spring', 'k'); ROLLBACK")
        try await test.database.script("SELECT push.test_campaign('spring', '{team}', recipient => '1')")
        try await test.database.script(
            """
            BEGIN;
            INSERT INTO push.run (campaign, revision, key, state) SELECT id, 1, 'gone', 'skipped' FROM push.campaign;
            DELETE FROM push.run WHERE key = 'gone';
            COMMIT
            """)
        #expect(try await Self.events(test) == [])
    }

    @Test func eventsGoWithTheirRun() async throws {
        let test = try await Self.make()
        try await test.database.script(
            "INSERT INTO push.run (campaign, revision, key, state) SELECT id, 1, 'gone', 'skipped' FROM push.campaign")
        #expect(try await Self.events(test) == ["start - skipped"])
        try await test.database.script("DELETE FROM push.run WHERE key = 'gone'")
        #expect(try await Self.events(test) == [])
    }

    /// A number that was taken is waited for; a start that is not committed has none.
    @Test func anOpenTransactionIsNotPassedOver() async throws {
        let test = try await Self.make()
        let campaigns = CampaignStore(database: test.database)
        let now = try await campaigns.events(after: nil, of: nil, most: 1000)
        #expect(now.events == [] && !now.hasMore)
        try await test.database.withConnection { slow in
            try await slow.execute("BEGIN")
            try await slow.execute("SELECT push.start_run('spring', 'slow')")
            try await Self.start(test, "quick")
            let first = try await campaigns.events(after: now.mark, of: "spring", most: 1000)
            #expect(first.events.map(\.key) == ["quick"])

            try await slow.execute("SET CONSTRAINTS ALL IMMEDIATE")
            try await Self.start(test, "quicker")
            let held = try await campaigns.events(after: first.mark, of: "spring", most: 1000)
            #expect(held.events == [])
            try await slow.execute("COMMIT")
            let rest = try await campaigns.events(after: held.mark, of: "spring", most: 1)
            #expect(rest.events.map(\.key) == ["slow"] && rest.hasMore)
            let last = try await campaigns.events(after: rest.mark, of: "spring", most: 1000)
            #expect(last.events.map(\.key) == ["quicker"] && !last.hasMore)
        }
    }

    @Test func nobodyMissesAnEventOfManyStartsAtOnce() async throws {
        let test = try await Self.make()
        let campaigns = CampaignStore(database: test.database)
        let reader = Task {
            var (mark, seen): (String, [String]) = ("0", [])
            while seen.count < 40 {
                let page = try await campaigns.events(after: mark, of: nil, most: 3)
                seen += page.events.map(\.key)
                mark = page.mark
            }
            return seen
        }
        try await withThrowingTaskGroup { group in
            for starter in 0..<4 {
                group.addTask {
                    for n in 0..<10 { try await Self.start(test, "\(starter).\(n)") }
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(try await reader.value).count == 40)
    }

    @Test func whoListensIsToldWhenItIsCommitted() async throws {
        let test = try await Self.make()
        let output = try await Psql(conninfo: test.conninfo).output(
            of: """
                LISTEN push_campaign;
                BEGIN;
                SELECT 'started ' || started FROM push.start_run('spring', 'k "1"');
                SELECT 'open';
                COMMIT;
                BEGIN;
                SELECT 'paused ' || paused FROM push.pause_run('spring');
                ROLLBACK;
                """)
        let lines = output.split(separator: "\n").map { String($0).replacing(#/ with PID \d+\.$/#, with: "") }
        let mark = try await test.texts("SELECT id::text FROM push.run_event")[0]
        let payload =
            #"{"id" : \#(mark), "campaign" : "spring", "key" : "k \"1\"", "run" : 1, "event" : "start", "state" : "running"}"#
        #expect(
            lines == [
                "started true", "open",
                "Asynchronous notification \"push_campaign\" with payload \"\(payload)\" received from server process",
                "paused 0",
            ])
    }

    @Test(arguments: [
        ("'x'", "push.run_events_since: mark \"x\" has another form than next_mark"),
        ("'0', 'sprin'", "there is no campaign \"sprin\""),
        ("'0', at_most => 0", "push.run_events_since: at_most 0 is not between 1 and 100,000"),
    ]) func aWrongCallIsRefused(_ arguments: String, _ words: String) async throws {
        let test = try await Self.make()
        let error = await #expect(throws: DatabaseError.self) {
            try await test.database.script("SELECT push.run_events_since(\(arguments))")
        }
        #expect(error?.message == words)
    }
}
