import Postgres
import Store
import TestSupport
import Testing

/// An audience is read with the rights of push_audience, which reaches nothing of ours.
@Suite struct AudienceTests {
    /// For tests that leave nothing in it.
    private static let untouched = Task { try await make() }

    private static func make() async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        return test
    }

    private static func spec(_ view: String) -> String {
        #"{"hubs": ["news"], "audience": {"view": "\#(view)"}, "content": {"en": {"a": "b"}}}"#
    }

    @Test(arguments: [
        "pg_authid", "pg_catalog.pg_authid", "push.message", "push.\\\"message\\\"", "information_schema.tables",
        "pg_temp.x", "no.such", "marketing.secret; DROP TABLE push.due", "\\\"\\\".x", "a.b.c.d",
    ])
    func nothingOfTheServerOrOfOursIsAnAudience(view: String) async throws {
        let test = try await Self.untouched.value
        let error = await #expect(throws: DatabaseError.self) {
            try await CampaignStore(database: test.database).create("x", spec: Self.spec(view), draft: false)
        }
        #expect(error?.message.contains("there is no such view") == true, "\(error.map { "\($0)" } ?? "")")
    }

    /// A view that anybody may make runs its functions as push_audience: it may neither read nor write what is ours.
    @Test(arguments: [
        ("SELECT id AS key, (SELECT content::text FROM push.message LIMIT 1) AS tag FROM marketing.people", "42501"),
        ("SELECT id AS key, marketing.write(id) AS tag FROM marketing.people", "38002"),
        ("SELECT id AS key, push.pause_hub('news')::text AS tag FROM marketing.people", "42501"),
    ])
    func aViewReachesNothingThatItsAudienceRoleMayNot(body: String, refused: String) async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE TABLE marketing.people (id bigint PRIMARY KEY);
            INSERT INTO marketing.people VALUES (1);
            CREATE TABLE marketing.log (id bigint);
            CREATE FUNCTION marketing.write(id bigint) RETURNS text LANGUAGE sql AS
                $$ INSERT INTO marketing.log VALUES (id) RETURNING 'user:' || id $$;
            CREATE ROLE \(test.name)_owner;
            GRANT ALL ON SCHEMA marketing TO \(test.name)_owner;
            GRANT SELECT ON marketing.people TO \(test.name)_owner;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            """)
        // The owner of the view has no right on what is ours either.
        try await test.database.script(
            """
            CREATE VIEW marketing.bad AS \(body);
            ALTER VIEW marketing.bad OWNER TO \(test.name)_owner;
            GRANT SELECT ON marketing.bad TO push_audience;
            """)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create("x", spec: Self.spec("marketing.bad"), draft: false)
        // PostgreSQL refuses already to plan what may not be read; a function is refused when it is called.
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await campaigns.start("x", key: "k")
            _ = try await Runs(database: test.database).expand(1, upTo: 10)
        }
        #expect(error?.sqlState == refused, "\(error.map { "\($0)" } ?? "")")
        #expect(try await test.number("SELECT count(*) FROM push.message") == 0)
        await test.database.close()
    }

    /// json_strip_nulls gives those without a name `{}`, as in docs/campaigns.md: they must not take the slow way.
    @Test(arguments: [
        ("'{}'", "true"), ("NULL", "true"), (#"'{"name": "Ada"}'"#, "true"), ("'[]'", "false"),
        (#"' {"a b": null, "n": 5, "cart": [{"id": 1}], "é": "\u00e9"}'"#, "true"), (#"'{"a": "\u0000"}'"#, "false"),
    ])
    func aRecipientWhosePropertiesCanBeReadIsUsual(properties: String, isUsual: String) async throws {
        let test = try await StoreFixture.untouched.test
        #expect(
            try await test.texts(
                "SELECT push_internal.is_usual_recipient('user:1', NULL, NULL, \(raw: properties), 'template')::text")
                == [
                    isUsual
                ])
    }

    /// What no text uses refuses nobody, and what a text uses is looked at by the planner.
    @Test(arguments: [
        ("NULL", nil), ("'null'", nil), (#"'{"name": null, "n": 5, "x": true}'"#, nil),
        (#"'{"a b": "x", "nested": {"deep": [1, {}]}}'"#, nil),
        ("'[]'", #"properties is a JSON array, not an object such as {"name": "Ada"}"#),
        (#"'"Ada"'"#, #"properties is a JSON string, not an object such as {"name": "Ada"}"#),
        (#"'{"a": "\u0000"}'"#, "properties holds the character NUL"),
    ])
    func onlyPropertiesThatCannotBeReadRefuseARecipient(properties: String, why: String?) async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE VIEW marketing.people AS SELECT 1 AS key, 'user:1' AS tag, \(properties)::json AS properties;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.people TO push_audience;
            """)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create("x", spec: Self.spec("marketing.people"), draft: false)
        _ = try await campaigns.start("x", key: "k")
        _ = try await Runs(database: test.database).expand(1, upTo: 10)
        #expect(try await test.texts("SELECT note FROM push.result") == (why.map { [$0] } ?? []))
        #expect(
            try await test.number("SELECT count(*) FROM push.message WHERE json_typeof(content) = 'object'") == 1)
        await test.database.close()
    }

    /// A cursor is compared as its column is typed: as char(1), every page of a char(n) was the first one again.
    @Test(arguments: ["text", "varchar(8)", "char(8)", "bigint", "integer"])
    func everyTypeOfKeyIsReadPageByPageToItsEnd(type: String) async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE TABLE marketing.people (key \(type) PRIMARY KEY, tag text);
            INSERT INTO marketing.people SELECT (1000 + n)::text::\(type), 'user:' || n FROM generate_series(1, 25) n;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.people TO push_audience;
            """)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create("x", spec: Self.spec("marketing.people"), draft: false)
        _ = try await campaigns.start("x", key: "k")
        var pages: [Int] = []
        var isExpanded = false
        while !isExpanded && pages.count < 10 {
            let expansion = try await Runs(database: test.database).expand(1, upTo: 10)
            pages.append(expansion.rows)
            isExpanded = expansion.isExpanded
        }
        #expect(isExpanded && pages.reduce(0, +) == 25, "\(pages)")
        #expect(try await test.number("SELECT count(DISTINCT tag) FROM push.message") == 25)
        await test.database.close()
    }

    /// Also where the end of a page lies between the two: the first row of a key is sent, and the run says how many were not.
    @Test func aKeyThatComesTwiceIsSentOnceAndCounted() async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE TABLE marketing.people AS SELECT (n + 1) / 2 AS key, 'user:' || n AS tag FROM generate_series(1, 30) n;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.people TO push_audience;
            """)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create("x", spec: Self.spec("marketing.people"), draft: false)
        _ = try await campaigns.start("x", key: "k")
        while try await !Runs(database: test.database).expand(1, upTo: 7).isExpanded {}
        #expect(try await test.number("SELECT count(DISTINCT recipient) FROM push.message") == 15)
        let progress = try #require(try await campaigns.progress("x", key: "k").first)
        #expect([progress.expanded, progress.doubleKey, progress.total] == [15, 15, 30])
        #expect(progress.doubleExample != nil)
        await test.database.close()
    }

    /// The rate follows from the count, and the planner takes a filter for a third of a table that it never saw.
    @Test func spreadGoesByTheRecipientsThatThereAre() async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE TABLE marketing.people (id bigint PRIMARY KEY, seen int) WITH (autovacuum_enabled = off);
            INSERT INTO marketing.people SELECT n, n % 7 FROM generate_series(1, 7000) n;
            CREATE VIEW marketing.lapsed AS SELECT id AS key, 'user:' || id AS tag FROM marketing.people WHERE seen + 1 > 6;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.lapsed TO push_audience;
            """)
        let campaigns = CampaignStore(database: test.database)
        let spec = Self.spec("marketing.lapsed").dropLast() + #", "spread": "100 s"}"#
        _ = try await campaigns.create("x", spec: String(spec), draft: false)
        _ = try await campaigns.start("x", key: "k")
        #expect(try await test.texts("SELECT concat_ws(' ', estimate, rate) FROM push.run") == ["1000 10"])
        await test.database.close()
    }

    /// The rest is said all the same, and nothing waits for the view any longer.
    @Test(arguments: ["", #", "local": {"time": "09:00", "default": "UTC"}"#])
    func aSlowViewIsAFindingOfTheCheck(members: String) async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE TABLE marketing.people AS SELECT 1::bigint AS key, 'user:1' AS tag, NULL::text AS time_zone;
            CREATE FUNCTION marketing.slow(t text) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT t FROM pg_sleep(3600) $$;
            CREATE VIEW marketing.lapsed AS
            SELECT key, marketing.slow(tag) AS tag, marketing.slow(time_zone) AS time_zone
              FROM marketing.people WHERE marketing.slow(tag) <> '';
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.lapsed TO push_audience;
            """)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create(
            "x", spec: String(Self.spec("marketing.lapsed").dropLast() + members + "}"), draft: false)
        let findings = try await campaigns.check("x", seconds: 3)
        #expect(findings.last?.finding == "is slow: not counted within 3 s", "\(findings)")
        #expect(findings.contains { $0.finding == "no worker serves it now" })
        await test.database.close()
    }

    @Test func anExpansionIsAllOrNothingAndOneAtATime() async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            SELECT push.make_list('beta');
            INSERT INTO push.list_member (list, key, tag) SELECT 1, lpad(n::text, 6, '0'), 'user:' || n FROM generate_series(1, 1000) n;
            """)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create(
            "x", spec: #"{"hubs": ["news"], "audience": {"list": "beta"}, "content": {"en": {"a": "b"}}}"#, draft: false
        )
        _ = try await campaigns.start("x", key: "k")
        let runs = Runs(database: test.database)
        // Another worker is at it, and then it is killed: it never happened.
        let other = test.another(maximumConnections: 1)
        struct Killed: Error {}
        await #expect(throws: Killed.self) {
            try await other.withTransaction { connection in
                try await connection.execute("SELECT FROM push_worker.expand_v1(1, 100)")
                #expect(try await runs.expand(1, upTo: 100).rows == 0)
                throw Killed()
            }
        }
        #expect(try await test.number("SELECT count(*) FROM push.message") == 0)
        var rows = 0
        while true {
            let expansion = try await runs.expand(1, upTo: 300)
            rows += expansion.rows
            if expansion.isExpanded { break }
        }
        #expect(rows == 1_000)
        #expect(try await test.number("SELECT count(DISTINCT tag) FROM push.message") == 1_000)
        #expect(try await test.number("SELECT count(*) FROM push.due") == 1_000)
        #expect(
            try await test.texts("SELECT string_agg(rows::text, ' ' ORDER BY n) FROM push.slice") == ["300 300 300 100"]
        )
        await other.close()
        await test.database.close()
    }

    /// A run that is stopped while a page is read: who stops it does not wait, and nothing is expanded.
    @Test func stoppingWhileAPageIsReadExpandsNothing() async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE TABLE marketing.people AS SELECT 1::bigint AS key, 'user:1' AS tag;
            CREATE FUNCTION marketing.slow(t text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
                PERFORM pg_advisory_xact_lock_shared(4711);
                RETURN t;
            END $$;
            CREATE VIEW marketing.lapsed AS SELECT key, marketing.slow(tag) AS tag FROM marketing.people;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.lapsed TO push_audience;
            """)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create("x", spec: Self.spec("marketing.lapsed"), draft: false)
        _ = try await campaigns.start("x", key: "k")
        let holder = test.another(maximumConnections: 1)
        try await holder.execute("SELECT pg_advisory_lock(4711)")
        let expanding = Task { try await Runs(database: test.database).expand(1, upTo: 10) }
        try await Awaited.until("the page is being read") {
            let waiting = try await test.number(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 4711")
            return (waiting, waiting == 1)
        }
        #expect(try await campaigns.steer("x", key: "k", .cancel, after: nil).messages == 0)
        try await holder.execute("SELECT pg_advisory_unlock(4711)")
        let error = await #expect(throws: DatabaseError.self) { try await expanding.value }
        #expect(error?.is(.serializationFailure) == true)
        #expect(try await test.number("SELECT count(*) FROM push.message") == 0)
        await holder.close()
        await test.database.close()
    }

    /// By the words of `push.message`, as before there were runs.
    @Test func cancellingTheWordOfARegisteredCampaignCancelsItsRuns() async throws {
        let test = try await Self.make()
        let campaigns = CampaignStore(database: test.database)
        let messages = Messages(database: test.database)
        func cancelAll(_ run: String?) async throws -> Int64 {
            var done = try await messages.cancel(campaign: "x", run: run, after: nil)
            while let next = done.next {
                let more = try await messages.cancel(campaign: "x", run: run, after: next)
                done.cancelled += more.cancelled
                done.next = more.next
            }
            return done.cancelled
        }
        _ = try await campaigns.create(
            "x", spec: #"{"hubs": ["news"], "audience": {"tags": ["A", "B"]}, "content": {"en": {"a": "b"}}}"#,
            draft: false)
        #expect(try await cancelAll(nil) == 0)
        let runs = Runs(database: test.database)
        for (stream, key) in [(Int64(1), "k1"), (2, "k2"), (3, "k3")] {
            _ = try await campaigns.start("x", key: key)
            #expect(try await runs.expand(stream, upTo: 100).rows == 2)
        }
        #expect(try await cancelAll("k2") == 2)
        #expect(try await cancelAll(nil) == 4)
        try await runs.lookAfter()
        try await runs.lookAfter()
        try await runs.lookAfter()
        #expect(
            try await test.texts("SELECT concat_ws(' ', key, state, cancelled) FROM push.run_progress ORDER BY key")
                == [
                    "k1 cancelled 2", "k2 cancelled 2", "k3 cancelled 2",
                ])
        #expect(try await cancelAll(nil) == 0)
        await test.database.close()
    }
}
