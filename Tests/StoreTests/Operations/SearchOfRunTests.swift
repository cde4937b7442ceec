import Postgres
import Store
import TestSupport
import Testing

/// push.search_messages_v1 and push.find_messages: what a run of a campaign made, however much others enqueued since.
@Suite struct SearchOfRunTests {
    private static let search = {
        var search = MessageSearch(limit: 50)
        (search.campaign, search.run) = ("spring", "k")
        return search
    }()

    /// 300 messages in three slices, others between them, and more after them than a first page of ids has. The newest one has
    /// the names of the run, and was enqueued by somebody else.
    private static func make() async throws -> StoreFixture {
        let store = try await StoreFixture.make()
        let campaigns = CampaignStore(database: store.database)
        try await store.database.script(
            """
            SELECT push.make_list('people');
            INSERT INTO push.list_member (list, key, tag) SELECT 1, n::text, 'u:' || n FROM generate_series(1, 300) n;
            """)
        _ = try await campaigns.create(
            "spring", spec: #"{"hubs": ["news"], "audience": {"list": "people"}, "content": {"": {"title": "x"}}}"#,
            draft: false)
        _ = try await campaigns.start("spring", key: "k")
        for _ in 1...3 {
            try await others(10, in: store)
            _ = try await Runs(database: store.database).expand(1, upTo: 100)
        }
        try await others(25_000, in: store)
        try await store.database.script(
            """
            INSERT INTO push.message (hub, tag, content, campaign, run) VALUES ('news', 'u:1', '{"title": "y"}', 'spring', 'k');
            SELECT push.cancel(id) FROM push.message WHERE recipient IN ('7', '207');
            """)
        return store
    }

    private static func others(_ count: Int, in store: StoreFixture) async throws {
        try await store.database.script(
            """
            INSERT INTO push.message (hub, tag, content)
            SELECT 'news', 'other', '{"title": "x"}' FROM generate_series(1, \(count));
            """)
    }

    /// All that a search finds, call by call.
    private static func found(_ search: MessageSearch, in store: StoreFixture) async throws -> [String] {
        var search = search
        var found: [String] = []
        while true {
            let page = try await store.messages.search(search, milliseconds: 1)
            found += page.messages.map { "\($0.id)" }
            if page.isEnd { return found }
            #expect(try #require(page.lookedTo) < search.before ?? .max, "every call gets further")
            search.before = page.lookedTo
        }
    }

    @Test func theFirstCallIsAtTheRun() async throws {
        let store = try await Self.make()
        let newest = try await store.test.texts(
            "SELECT m.id::text FROM push.message m WHERE m.stream IS NOT NULL ORDER BY m.id DESC LIMIT 50")
        let found = try await store.messages.search(Self.search, milliseconds: 1).messages.map { "\($0.id)" }
        #expect(!found.isEmpty && newest.starts(with: found))
        #expect(try await store.messages.find(Self.search).map { "\($0.id)" } == newest)
    }

    @Test func eachMessageOfTheRunIsFoundOnce() async throws {
        let store = try await Self.make()
        for (condition, change) in [
            ("true", { _ in }),
            ("m.recipient IN ('7', '207')", { $0.status = "cancelled" }),
            ("m.recipient IN ('7', '207')", { $0.reason = "cancelled_by_caller" }),
            ("m.recipient NOT IN ('7', '207')", { $0.status = "due" }),
            ("m.tag = 'u:11'", { $0.tag = "u:11" }), ("false", { $0.tenant = "acme" }), ("true", { $0.hub = "news" }),
            ("true", { $0.since = .ago("1 hour") }), ("false", { $0.until = .ago("1 hour") }),
        ] as [(String, (inout MessageSearch) -> Void)] {
            var search = Self.search
            change(&search)
            let all = try await store.test.texts(
                "SELECT m.id::text FROM push.message m WHERE m.stream IS NOT NULL AND \(raw: condition) ORDER BY m.id DESC"
            )
            #expect(try await Self.found(search, in: store) == all, "\(condition)")
            search.limit = 1000
            #expect(try await store.messages.find(search).map { "\($0.id)" } == all, "\(condition)")
        }
    }

    @Test func whatOthersEnqueuedUnderItsNamesIsOfTheCampaign() async throws {
        let store = try await Self.make()
        let theirs = try await store.test.number("SELECT max(id) FROM push.message")
        #expect(try await store.messages.search(Self.search, ids: [theirs]).messages == [])
        var search = Self.search
        search.run = nil
        #expect(try await store.messages.search(search, milliseconds: 1).messages.first?.id == theirs)
        #expect(try await store.messages.find(search).first?.id == theirs)
    }

    @Test func aRunThatMadeNothingYetHasNone() async throws {
        let store = try await Self.make()
        _ = try await CampaignStore(database: store.database).start("spring", key: "later")
        var search = Self.search
        search.run = "later"
        let page = try await store.messages.search(search, milliseconds: 1)
        #expect(page.messages == [] && page.isEnd)
        #expect(try await store.messages.find(search) == [])
    }
}
