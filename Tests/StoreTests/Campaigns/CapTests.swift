import Postgres
import Store
import TestSupport
import Testing

/// A cap leaves out whom enough campaigns of a group have reached. Days are moved in the tables: nothing waits.
@Suite struct CapTests {
    /// For tests that leave nothing in it.
    private static let untouched = Task { try await make() }

    private static let cap = #"{"count": 2, "days": 7, "group": "marketing"}"#

    /// Thirty recipients, of whom number 9 cannot be reached.
    private static func make() async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        for name in ["news", "mail"] {
            var hub = TestWorker.news
            hub.name = name
            _ = try await Hubs(database: test.database).register(hub)
        }
        try await test.database.script(
            """
            SELECT push.make_list('beta');
            INSERT INTO push.list_member (list, key, tag)
            SELECT 1, lpad(n::text, 6, '0'), CASE n WHEN 9 THEN 'no tag' ELSE 'user:' || n END FROM generate_series(1, 30) n;
            """)
        return test
    }

    private static func create(
        _ name: String = "spring", cap: String? = cap, hubs: String = #"["news"]"#,
        audience: String = #"{"list": "beta"}"#, format: String = "template", in test: TestDatabase
    ) async throws {
        let content = format == "template" ? #"{"en": {"a": "b"}}"# : #"{"": {"aps": {"alert": "b"}}}"#
        let member = cap.map { #", "cap": \#($0)"# } ?? ""
        _ = try await CampaignStore(database: test.database).create(
            name,
            spec: """
                {"hubs": \(hubs), "audience": \(audience), "content": \(content), "format": "\(format)"\(member)}
                """, draft: false)
    }

    /// Starts a run and expands all of it.
    ///
    /// - Returns: messages of each slice, and whom they leave out.
    @discardableResult private static func run(
        _ key: String, of name: String = "spring", in test: TestDatabase
    ) async throws -> [String] {
        _ = try await CampaignStore(database: test.database).start(name, key: key)
        let runs = Runs(database: test.database)
        let streams = try await streams(of: key, in: test)
        for stream in streams {
            while try await !runs.expand(stream, upTo: 100).isExpanded {}
        }
        return try await test.texts(
            """
            SELECT concat_ws(' ', s.rows, nullif(s.left_out::text, '{}')) FROM push.slice s JOIN push.stream t ON t.id = s.stream
              JOIN push.run r ON r.id = t.run WHERE r.key = \(key) ORDER BY s.stream, s.n
            """)
    }

    private static func streams(of key: String, in test: TestDatabase) async throws -> [Int64] {
        try await test.texts(
            "SELECT t.id::text FROM push.stream t JOIN push.run r ON r.id = t.run WHERE r.key = \(key) ORDER BY t.id"
        ).compactMap(Int64.init)
    }

    private static func remembered(_ test: TestDatabase) async throws -> Int64 {
        try await test.number("SELECT coalesce(sum(cardinality(hashes)), 0) FROM push.reached")
    }

    @Test func theThirdRunLeavesOutWhomTwoHaveReached() async throws {
        let test = try await Self.make()
        try await Self.create(in: test)
        let said = {
            try await CampaignStore(database: test.database).check("spring").filter { $0.about == "cap" }.map(\.finding)
        }
        #expect(try await said() == ["group marketing had no run in 7 days: nobody is left out yet"])
        #expect(try await Self.run("a", in: test) == ["30"])
        #expect(try await said() == ["group marketing had one run in 7 days: nobody is left out yet"])
        #expect(try await Self.run("b", in: test) == ["30"])
        #expect(try await said() == ["group marketing had 2 runs in 7 days: whom 2 of them reached is left out"])
        // The one that cannot be reached was not reached.
        #expect(try await Self.run("c", in: test) == [#"1 {"capped":29}"#])
        #expect(try await Self.remembered(test) == 58)
        let c = try #require(
            try await CampaignStore(database: test.database).progress("spring", key: "c").first)
        #expect((c.capped, c.expanded, c.total) == (29, 1, 30))
        await test.database.close()
    }

    @Test func theGroupCountsOverCampaignsAndAudiencesAndOthersDoNot() async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            SELECT push.make_list('phones');
            INSERT INTO push.list_member (list, key, handle) SELECT 2, lpad(n::text, 6, '0'), repeat('a', 64) FROM generate_series(29, 33) n;
            """)
        try await Self.create("one", in: test)
        try await Self.create("two", in: test)
        try await Self.create(
            "other", cap: #"{"count": 1, "days": 7, "group": "service"}"#, in: test)
        try await Self.create(
            "phones", audience: #"{"handles": {"list": "phones"}}"#, format: "apple", in: test)
        #expect(try await Self.run("a", of: "one", in: test) == ["30"])
        #expect(try await Self.run("b", of: "other", in: test) == ["30"])
        #expect(try await Self.run("c", of: "two", in: test) == ["30"])
        #expect(try await Self.run("d", of: "phones", in: test) == [#"3 {"capped":2}"#])
        #expect(try await Self.run("e", of: "phones", in: test) == [#"3 {"capped":2}"#])
        #expect(try await Self.run("f", of: "phones", in: test) == [#"0 {"capped":5}"#])
        await test.database.close()
    }

    /// Of seven days the day of the run is one.
    @Test(arguments: [(6, #"1 {"capped":29}"#), (7, "30"), (20, "30")])
    func whatIsSevenDaysAgoDoesNotCount(days: Int, slice: String) async throws {
        let test = try await Self.make()
        try await Self.create(in: test)
        try await Self.run("a", in: test)
        try await Self.run("b", in: test)
        try await Self.age(days, in: test)
        #expect(try await Self.run("c", in: test) == [slice])
        await test.database.close()
    }

    /// As if everybody had been reached `days` days earlier.
    private static func age(_ days: Int, in test: TestDatabase) async throws {
        try await test.database.script(
            """
            DO $$
            DECLARE
                number int;
            BEGIN
                FOR number IN SELECT DISTINCT push_internal.number_of_reached(day - \(days)) FROM push.reached LOOP
                    IF to_regclass('push.reached_' || number) IS NULL THEN
                        EXECUTE format('CREATE TABLE push.reached_%s PARTITION OF push.reached FOR VALUES FROM (%L) TO (%L)',
                                       number, '2000-01-01'::date + number * 10, '2000-01-01'::date + number * 10 + 10);
                    END IF;
                END LOOP;
            END $$;
            UPDATE push.reached SET day = day - \(days);
            UPDATE push.capped_run SET day = day - \(days);
            """)
    }

    @Test func aRunWithTwoHubsCountsOnce() async throws {
        let test = try await Self.make()
        try await Self.create(hubs: #"["news", "mail"]"#, in: test)
        #expect(try await Self.run("a", in: test) == ["30", "30"])
        #expect(try await Self.remembered(test) == 29)
        #expect(try await Self.run("b", in: test) == ["30", "30"])
        #expect(try await Self.run("c", in: test) == [#"1 {"capped":29}"#, #"1 {"capped":29}"#])
        await test.database.close()
    }

    @Test func withoutACapNothingIsWritten() async throws {
        let test = try await Self.make()
        try await Self.create(cap: nil, in: test)
        try await Self.run("a", in: test)
        #expect(
            try await test.number(
                """
                SELECT (SELECT count(*) FROM push.reached) + (SELECT count(*) FROM push.capped_run)
                     + (SELECT count(*) FROM push.cap_group)
                """) == 0)
        await test.database.close()
    }

    @Test func anExpansionThatWasKilledCountsNobody() async throws {
        let test = try await Self.make()
        try await Self.create(cap: #"{"count": 1, "days": 7, "group": "marketing"}"#, in: test)
        _ = try await CampaignStore(database: test.database).start("spring", key: "a")
        let other = test.another(maximumConnections: 1)
        await #expect(throws: DatabaseError.self) {
            try await other.script(
                "SELECT push_worker.expand_v1(1, 100); SELECT pg_terminate_backend(pg_backend_pid()); SELECT 1")
        }
        #expect(try await Self.remembered(test) == 0)
        #expect(try await Self.run("a", in: test) == ["30"])
        #expect(try await Self.remembered(test) == 29)
        #expect(try await Self.run("b", in: test) == [#"1 {"capped":29}"#])
        await other.close()
        await test.database.close()
    }

    /// What failed and is sent again is the same campaign.
    @Test func aRetryDoesNotCountAgain() async throws {
        let test = try await Self.make()
        try await Self.create(in: test)
        try await Self.run("a", in: test)
        #expect(try await test.number("SELECT retried FROM push.retry_run('spring', 'a')") == 1)
        #expect(try await Self.remembered(test) == 29)
        await test.database.close()
    }

    /// Both could be the last that the cap allows: the second waits, and sees whom the first reached.
    @Test func ofTwoRunsOfAGroupOneIsExpandedAtATime() async throws {
        let test = try await Self.make()
        let cap = #"{"count": 1, "days": 7, "group": "marketing"}"#
        try await Self.create("one", cap: cap, in: test)
        try await Self.create("two", cap: cap, in: test)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.start("one", key: "a")
        _ = try await campaigns.start("two", key: "b")
        let runs = Runs(database: test.database)
        let other = test.another(maximumConnections: 1)
        try await other.withTransaction { connection in
            try await connection.execute("SELECT FROM push_worker.expand_v1(1, 100)")
            let meanwhile = try await runs.expand(2, upTo: 100)
            #expect((meanwhile.rows, meanwhile.isExpanded) == (0, false))
        }
        let after = try await runs.expand(2, upTo: 100)
        #expect((after.rows, after.isExpanded) == (1, true))
        #expect(
            try await test.texts("SELECT left_out::text FROM push.slice ORDER BY stream") == ["{}", #"{"capped":29}"#])
        await other.close()
        await test.database.close()
    }

    @Test(arguments: [
        (#"{"tags": ["A"]}"#, cap, #"cap does not go with {"tags": ...}"#, "view or a list"),
        (#"{"expression": "a && b"}"#, cap, "cap does not go with", "view or a list"),
        (#"{"list": "beta"}"#, "3", "cap is not an object", "marketing"),
        (#"{"list": "beta"}"#, #"{"count": 1, "days": 7}"#, "cap lacks", "marketing"),
        (#"{"list": "beta"}"#, #"{"count": 1, "days": 7, "grup": "a"}"#, "cap.grup is not known", "group"),
        (#"{"list": "beta"}"#, #"{"count": 0, "days": 7, "group": "a"}"#, "cap.count is 0", ""),
        (#"{"list": "beta"}"#, #"{"count": 101, "days": 7, "group": "a"}"#, "cap.count is 101", ""),
        (#"{"list": "beta"}"#, #"{"count": 1.5, "days": 7, "group": "a"}"#, "fraction", "marketing"),
        (#"{"list": "beta"}"#, #"{"count": "1", "days": 7, "group": "a"}"#, "cap.count is \"1\"", "quotation"),
        (#"{"list": "beta"}"#, #"{"count": 1, "days": 0, "group": "a"}"#, "cap.days is 0", ""),
        (
            #"{"list": "beta"}"#, #"{"count": 1, "days": 31, "group": "a"}"#, "is known for 30 days",
            "Set caps.rememberDays to 31"
        ),
        (#"{"list": "beta"}"#, #"{"count": 1, "days": 7, "group": "A b"}"#, "not the name of a group", "a-z"),
    ])
    func aCapThatCannotHoldIsRefused(audience: String, cap: String, message: String, hint: String) async throws {
        let test = try await Self.untouched.value
        let error = await #expect(throws: DatabaseError.self) {
            try await Self.create(cap: cap, audience: audience, in: test)
        }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(hint.isEmpty || error?.hint?.contains(hint) == true, "\(error?.hint ?? "no hint")")
    }

    @Test func whatIsRememberedForLessThanACapAsksIsSaidAtTheStart() async throws {
        let test = try await Self.make()
        let campaigns = CampaignStore(database: test.database)
        try await Self.create(in: test)
        #expect(try await campaigns.remember(caps: 5))
        #expect(try await !campaigns.remember(caps: 5))
        let error = await #expect(throws: DatabaseError.self) { try await Self.run("a", in: test) }
        #expect(error?.hint?.contains("caps.rememberDays to 7") == true, "\(error?.hint ?? "")")
        #expect(try await test.number("SELECT count(*) FROM push.audit WHERE action = 'remember_caps'") == 1)
        await #expect(throws: DatabaseError.self) { try await campaigns.remember(caps: 0) }
        await test.database.close()
    }

    @Test func partitionsAreDroppedWhenTheirTimeIsOver() async throws {
        let test = try await Self.make()
        try await Self.create(in: test)
        try await Self.run("a", in: test)
        try await Self.age(29, in: test)
        try await KeyRetention.forget(in: test.database)
        #expect(try await Self.remembered(test) == 29)
        #expect(try await test.number("SELECT count(*) FROM push.capped_run") == 1)
        try await Self.age(20, in: test)
        let today: SQL = "SELECT push_internal.number_of_reached((now() AT TIME ZONE 'UTC')::date)"
        let before = try await test.number(today)
        try await KeyRetention.forget(in: test.database)
        let after = try await test.number(today)  // the day may turn meanwhile
        #expect(try await Self.remembered(test) == 0)
        #expect(try await test.number("SELECT count(*) FROM push.capped_run") == 0)
        #expect(
            try await test.number(
                """
                SELECT count(*) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                 WHERE i.inhparent = 'push.reached'::regclass AND substr(c.relname, 9)::int NOT IN (
                           SELECT n FROM generate_series(\(before) - 4, \(after) + 1) n)
                """) == 0)
        await test.database.close()
    }

    /// A server that stood still for weeks has no partition for today.
    @Test func aPartitionThatIsMissingIsMade() async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            DO $$ DECLARE name text; BEGIN
                FOR name IN SELECT i.inhrelid::regclass FROM pg_inherits i WHERE i.inhparent = 'push.reached'::regclass LOOP
                    EXECUTE 'DROP TABLE ' || name;
                END LOOP;
            END $$
            """)
        try await Self.create(in: test)
        #expect(try await Self.run("a", in: test) == ["30"])
        #expect(try await Self.remembered(test) == 29)
        await test.database.close()
    }
}
