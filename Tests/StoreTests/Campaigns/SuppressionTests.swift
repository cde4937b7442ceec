import Postgres
import Store
import TestSupport
import Testing

/// Who is never reached, and the run that reaches them nevertheless.
@Suite struct SuppressionTests {
    private static func make() async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.script(
            """
            SELECT push.make_list('beta');
            INSERT INTO push.list_member (list, key, tag) SELECT 1, n::text, 'user:' || n FROM generate_series(1, 9) n;
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"list": "beta"},
                                                    "content": {"en": {"a": "b"}}}');
            """)
        return test
    }

    private static func importing(
        _ all: [Audiences.Suppression], _ test: TestDatabase
    ) async throws -> (added: Int64, changed: Int64) {
        var left = all[...]
        let counts = try await Audiences(database: test.database).suppressAll {
            defer { left = left.dropFirst(2) }
            return Array(left.prefix(2))
        } onBatch: { _ in
        }
        return (counts.added, counts.changed)
    }

    @Test func manyAreSuppressedOnceAndTheLastLineHolds() async throws {
        let test = try await Self.make()
        let lines: [Audiences.Suppression] = [
            .init(what: "key", value: "1", reason: "bounced"), .init(what: "key", value: "1", reason: "unsubscribed"),
            .init(what: "tag", value: "user:2", until: "2999-01-01T00:00Z"), .init(what: "key", value: "3"),
        ]
        #expect(try await Self.importing(lines, test) == (3, 0))
        #expect(try await Self.importing(lines, test) == (0, 0))
        #expect(try await Self.importing([.init(what: "key", value: "3", reason: "complaint")], test) == (0, 1))
        let kept = try await Audiences(database: test.database).suppressions(behind: nil, limit: 2)
        #expect(kept.map(\.value) == ["1", "3"])
        #expect(kept.map(\.reason) == ["unsubscribed", "complaint"])
        let rest = try await Audiences(database: test.database).suppressions(behind: kept.last, limit: 2)
        #expect(rest.map(\.value) == ["user:2"])
        #expect(
            try await test.texts("SELECT detail::text FROM push.audit WHERE action = 'suppress_many' ORDER BY id")
                == [
                    #"{"added" : 1, "changed" : 0}"#, #"{"added" : 2, "changed" : 0}"#,
                    #"{"added" : 0, "changed" : 1}"#,
                ])
        // One that is over suppresses nobody.
        try await test.database.execute("UPDATE push.suppression SET until = clock_timestamp() WHERE what = 'tag'")
        _ = try await CampaignStore(database: test.database).start("spring", key: "a")
        #expect(try await Runs(database: test.database).expand(1, upTo: 100).rows == 7)
        // And is not shown.
        let audiences = Audiences(database: test.database)
        #expect(try await audiences.suppressions(limit: 10).map(\.value) == ["1", "3"])
        #expect(try await audiences.suppressions(behind: nil, limit: 10).map(\.value) == ["1", "3"])
        #expect(try await audiences.suppressions(what: "key", value: "3", limit: 10).map(\.reason) == ["complaint"])
        #expect(try await audiences.suppressions(value: "1", limit: 10).map(\.what) == ["key"])
        #expect(try await audiences.suppressions(what: "tag", value: "3", limit: 10) == [])
        await test.database.close()
    }

    /// The rules are those of a message, so that people who asked for no more pushes get none.
    @Test(arguments: [
        ("tag", "user 43", nil, #""user 43" is not one tag"#),
        ("tag", "World && x", nil, #""World && x" is not one tag"#),
        ("tag", "!x", nil, "is not one tag"), ("tag", "", nil, "value is empty"),
        ("user", "1", nil, #"what is "user""#),
        ("tag", String(repeating: "t", count: 121), nil, "is not one tag"),
        ("handle", "a b", nil, "value is not a handle"), ("handle", "\u{E9}", nil, "value is not a handle"),
        ("key", String(repeating: "k", count: 2_601), nil, "value has 2601 bytes, 2,600 are allowed"),
        ("key", "7", "2020-01-01T00:00Z", "until is 2020-01-01T00:00:00.000Z, and that is past"),
    ])
    func whatNoRecipientCanHaveIsRefused(what: String, value: String, until: String?, words: String) async throws {
        let test = try await StoreFixture.untouched.test
        let audiences = Audiences(database: test.database)
        let one = await #expect(throws: DatabaseError.self) {
            try await audiences.suppress(what, value, reason: nil, until: until)
        }
        let many = await #expect(throws: DatabaseError.self) {
            try await Self.importing(
                [.init(what: "tag", value: "$UserId:{a=b}"), .init(what: what, value: value, until: until)], test)
        }
        for error in [one, many] {
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
            #expect(error?.sqlState == "22023")
        }
        #expect(try await test.number("SELECT count(*) FROM push.suppression") == 0)
    }

    @Test func aRowThatCannotBeOneSuppressesNobody() async throws {
        let test = try await Self.make()
        let error = await #expect(throws: DatabaseError.self) {
            try await Self.importing(
                [.init(what: "key", value: "1"), .init(what: "key", value: "2"), .init(what: "user", value: "3")], test)
        }
        #expect(error?.message.contains("in row 1 what is \"user\"") == true, "\(error?.message ?? "")")
        #expect(try await test.number("SELECT count(*) FROM push.suppression") == 0)
        await test.database.close()
    }

    /// Where a message is about to leave again, it is asked again.
    @Test(arguments: ["resume", "retry"]) func aPersonWhoIsSuppressedMeanwhileIsNotReached(step: String) async throws {
        let test = try await Self.make()
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.start("spring", key: "k")
        _ = try await Runs(database: test.database).expand(1, upTo: 100)
        if step == "retry" {
            try await test.database.script(
                """
                INSERT INTO push.result (id, status, reason) SELECT id, 'rejected', 'target_gone' FROM push.due;
                DELETE FROM push.due;
                """)
        } else {
            _ = try await campaigns.steer("spring", key: "k", .pause(reason: nil), after: nil)
        }
        try await test.database.script("SELECT push.suppress('tag', 'user:3'), push.suppress('key', '4')")
        _ = try await campaigns.steer(
            "spring", key: "k", step == "retry" ? .retry(reason: nil) : .resume, after: nil)
        #expect(
            try await test.texts(
                """
                SELECT m.recipient FROM push.due d JOIN push.message m ON m.id = d.id
                 WHERE d.due_at < push.paused_until() ORDER BY 1
                """) == ["1", "2", "5", "6", "7", "8", "9"])
        await test.database.close()
    }

    @Test func aRunThatBypassesReachesThemAndTheAuditSaysWhoAsked() async throws {
        let test = try await Self.make()
        _ = try await Self.importing([.init(what: "key", value: "1"), .init(what: "tag", value: "user:2")], test)
        let login = try await test.login(as: "push_campaign")
        let campaigns = CampaignStore(database: login.database)
        #expect(try await campaigns.start("spring", key: "a"))
        #expect(try await campaigns.start("spring", key: "b", bypassingSuppression: true))
        let runs = Runs(database: test.database)
        #expect(try await runs.expand(1, upTo: 100).rows == 7)
        #expect(try await runs.expand(2, upTo: 100).rows == 9)
        #expect(
            try await test.texts(
                "SELECT concat_ws(' ', who, detail ->> 'key') FROM push.audit WHERE action = 'bypass_suppression'")
                == ["\(test.name)_push_campaign b"])
        #expect(try await campaigns.progress("spring", key: "b").map(\.bypassesSuppression) == [true])
        // Joining: the run that was started without does not change.
        #expect(try await !campaigns.start("spring", key: "b", bypassingSuppression: true))
        let error = await #expect(throws: DatabaseError.self) {
            try await campaigns.start("spring", key: "a", bypassingSuppression: true)
        }
        #expect(error?.message.contains("leaves out who is suppressed") == true, "\(error?.message ?? "")")
        await login.database.close()
        await test.database.close()
    }
}
