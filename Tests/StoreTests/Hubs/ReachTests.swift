import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What was counted of the reach of tags, and what `push.check_campaign` makes of it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ReachTests {
    private func entry(_ expression: String, _ devices: Int64, of all: Int64, isWhole: Bool = true) -> Reach.Entry {
        Reach.Entry(hub: "news", expression: expression, devices: devices, of: all, isWhole: isWhole, countedAt: "")
    }

    private func words(_ entries: [Reach.Entry]) -> [String] {
        entries.map { "\($0.hub) \($0.expression): \($0.devices) of \($0.of) \($0.isWhole)" }
    }

    @Test func aCountTakesThePlaceOfTheOneBefore() async throws {
        let store = try await StoreFixture.make()
        let reach = Reach(database: store.database)
        try await reach.keep(entry("World", 5, of: 5))
        try await reach.keep(entry("a && b", 1, of: 9, isWhole: false))
        try await reach.keep(entry("World", 7, of: 7))
        #expect(words(try await reach.counted()) == ["news World: 7 of 7 true", "news a && b: 1 of 9 false"])
        #expect(words(try await reach.counted("world", at: "news")) == ["news World: 7 of 7 true"])
        #expect(try await reach.counted("World", at: "nope") == [])
        let first = try #require(try await reach.counted("World").first)
        let me = try await store.test.texts("SELECT session_user::text")
        #expect([first.by] == me.map(Optional.some))
        #expect(try await store.test.number("SELECT count(*) FROM push.audit WHERE action = 'keep_reach'") == 3)
    }

    @Test func aHubKeepsAThousandCounts() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            "SELECT push.keep_reach('news', 't' || g, 1, 1, true) FROM generate_series(1, 1003) g")
        let kept = try await Reach(database: store.database).counted().map(\.expression)
        #expect(kept.count == 1_000)
        #expect(kept.contains("t1003") && !kept.contains("t3"))
    }

    @Test func aRemovedHubHasNoCounts() async throws {
        let store = try await StoreFixture.make()
        let reach = Reach(database: store.database)
        try await reach.keep(entry("World", 5, of: 5))
        try await Hubs(database: store.database).remove("news")
        #expect(try await reach.counted() == [])
        await #expect(throws: DatabaseError.self) { try await reach.keep(self.entry("World", 5, of: 5)) }
    }

    @Test(arguments: [
        ("'a b', 1, 1, true", "push.keep_reach: expression \"a b\""), ("NULL, 1, 1, true", "expression is null"),
        ("'a', 2, 1, true", "2 devices of 1"), ("'a', -1, 1, true", "-1 devices of 1"),
        ("'a', NULL, 1, true", "null devices of 1"),
        ("'a', 1, 1, NULL", "1 devices of 1"),
    ])
    func aCallByHandIsChecked(arguments: String, says: String) async throws {
        let store = try await StoreFixture.untouched
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT push.keep_reach('news', \(raw: arguments))")
        }
        #expect(error?.message.contains(says) == true, "\(String(describing: error))")
    }

    /// What means the same has one bare form: blanks, capital letters, and the parentheses that a person leaves out.
    @Test(arguments: [
        ("World || Science", "world||SCIENCE", true), ("a || (b && c)", "a||b&&c", true),
        ("(a && b) || (c && d)", "a&&b || c&&d", true),
        ("(a || b) && c", "a || b && c", false), ("!(a && b)", "!a && b", false), ("a", "b", false),
        ("$UserId:{ab}", "$UserId:{AB}", true), ("(a || (b && c)) && !d", "(a||b&&c)&&!d", true),
    ])
    func anExpressionIsFoundAsAPersonWritesIt(one: String, other: String, same: Bool) async throws {
        let store = try await StoreFixture.untouched
        let found = try await store.test.texts(
            "SELECT (push_internal.bare_expression(\(one)) = push_internal.bare_expression(\(other)))::text")
        #expect(found == ["\(same)"])
        // What Fanfare itself writes of both.
        let (a, b) = (try TagExpression(one).description, try TagExpression(other).description)
        #expect((a.lowercased() == b.lowercased()) == same)
    }

    @Test(arguments: [
        ("81214, 81214, true, '3 h 50 min'", "81,214 devices, counted 3 h ago"),
        ("1, 10, true, '10 s'", "1 device, counted just now"), ("0, 10, true, '90 s'", "no device, counted 1 min ago"),
        ("0, 20000, false, '1 day'", "no device of the first 20,000, counted 24 h ago"),
        ("812, 20000, false, '1 s'", "812 devices of the first 20,000, counted just now"),
        ("20000, 20000, false, '50 h'", "at least 20,000 devices, counted 2 days ago"),
    ])
    func aCountIsSaidInWords(arguments: String, words: String) async throws {
        let store = try await StoreFixture.untouched
        #expect(try await store.test.texts("SELECT push_internal.reach_words(\(raw: arguments)::interval)") == [words])
    }

    private func check(_ audience: String, in store: StoreFixture) async throws -> [String] {
        try await store.test.texts(
            """
            SELECT concat_ws(' ', level, about, finding, '|' || hint)
              FROM push_internal.check_reach(json_build_object('hubs', '["news"]'::json, 'audience', \(audience)::json))
            """)
    }

    @Test func aCheckShowsWhatIsKnownOfItsTags() async throws {
        let store = try await StoreFixture.make()
        let reach = Reach(database: store.database)
        try await reach.keep(entry("World", 81_214, of: 81_214))
        try await reach.keep(entry("Science", 0, of: 0))
        try await reach.keep(entry("a || (b && c)", 812, of: 20_000, isWhole: false))
        try await store.database.execute("UPDATE push.reach SET counted_at = now() - interval '3 h 10 min'")
        try await store.database.execute(
            "UPDATE push.reach SET counted_at = now() - interval '3 days' WHERE expression ~ 'a'")
        let nobody = "Nobody would get it: is the tag spelt as devices have it?"
        #expect(
            try await check(#"{"tags": ["world", "Science", "other"]}"#, in: store) == [
                "warning hub news Science: no device, counted 3 h ago |\(nobody)",
                "info hub news world: 81,214 devices, counted 3 h ago",
            ])
        #expect(
            try await check(#"{"expression": "a||b&&c"}"#, in: store) == [
                "info hub news a||b&&c: 812 devices of the first 20,000, counted 3 days ago "
                    + "|It may have changed. Count again: fanfare tag reach 'a||b&&c' --hub news"
            ])
        for audience in [
            #"{"broadcast": true}"#, #"{"list": "beta"}"#, #"{"view": "x.y"}"#, #"{"expression": "a && b"}"#,
        ] {
            #expect(try await check(audience, in: store) == [])
        }
    }

    @Test func aCheckOfACampaignHasTheReachAmongItsFindings() async throws {
        let store = try await StoreFixture.make()
        try await Reach(database: store.database).keep(entry("Science", 0, of: 0))
        _ = try await store.test.texts(
            """
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"tags": ["World", "Science"]},
                                                   "content": {"en": {"message": "hi"}}}')::text
            """)
        let before = try await store.test.texts("SELECT r::text FROM push.reach r")
        let findings = try await CampaignStore(database: store.database).check("spring")
        #expect(findings.contains { $0.level == "warning" && $0.finding.hasPrefix("Science: no device, counted ") })
        #expect(!findings.contains { $0.finding.contains("World:") })
        #expect(try await store.test.texts("SELECT r::text FROM push.reach r") == before)
    }
}
