import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// `replace => true`: a message takes the place of what still waits under its dedupe_key, and one of them leaves.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ReplaceTests {
    private static let once = "'news', 'a', '{}', dedupe_key => 'k'"
    private static let replace = "'news', 'b', '{}', dedupe_key => 'k', replace => true"

    private static func make(_ hub: HubSettings = TestWorker.news) async throws -> (StoreFixture, shop: TestDatabase) {
        let store = try await StoreFixture.make(hub)
        return (store, try await store.test.login(as: "push_enqueue"))
    }

    @Test func whatWaitsIsReplacedAndSaysByWhat() async throws {
        let (store, shop) = try await Self.make()
        #expect(try await shop.enqueue(Self.replace) == "1 t", "nothing waited")
        #expect(try await shop.enqueue(Self.replace + ", send_at => '2099-01-01'") == "2 t 1")
        #expect(try await shop.enqueue(Self.replace) == "3 t 2")
        #expect(try await shop.enqueue(Self.once) == "3 f")
        for id: Int64 in [1, 2] {
            #expect(try await store.results(id) == ["cancelled/replaced"])
            #expect(try await store.messages.status(of: id)?.note == "Message \(id + 1) replaced it.")
        }
        #expect(try await store.claim()?.messages.map(\.id) == [3])
        #expect(try await store.test.texts("SELECT class FROM push.message_status WHERE id = 1") == ["policy"])
        #expect(try await store.lost() == [])
    }

    @Test func aKeyIsReplacedWithinOneTransactionAndNotIfThatEndsBadly() async throws {
        let (store, shop) = try await Self.make()
        _ = try await shop.enqueue(Self.once)
        try await shop.database.script("BEGIN; SELECT push.enqueue(\(Self.replace)); ROLLBACK")
        #expect(try await store.test.texts("SELECT id::text FROM push.due") == ["1"])
        try await shop.database.script(
            "BEGIN; SELECT push.enqueue(\(Self.replace)); SELECT push.enqueue(\(Self.replace)); COMMIT")
        #expect(try await store.claim()?.messages.map(\.id) == [4])
        #expect(try await store.lost() == [])
    }

    @Test func whatMayHaveLeftIsNotReplaced() async throws {
        let (store, shop) = try await Self.make()
        for key in ["a", "b", "c", "d"] { _ = try await shop.enqueue("'news', 'a', '{}', dedupe_key => '\(key)'") }
        let claim = try #require(try await store.claim())
        func tooLate(_ key: String, _ id: Int) async throws {
            #expect(
                try await shop.enqueue("'news', 'b', '{}', dedupe_key => '\(key)', replace => true") == "\(id) f",
                "\(key)")
        }
        try await tooLate("a", 1)  // a worker has it
        try await store.intend([[1], [2], [3]], under: claim.id)
        try await tooLate("a", 1)
        try await store.complete([
            .accepted(claim.post(1)), .resent(claim.post(2)), .retrying(claim.post(3), after: 60),
        ])
        try await store.complete(
            left: [.init(claim: claim.id, message: 4, outcome: MessageOutcome(.expired, .expired))],
            finished: [claim.id])
        try await tooLate("a", 1)
        try await tooLate("b", 2)  // waits for another try, and the first may have arrived
        #expect(try await shop.enqueue("'news', 'b', '{}', dedupe_key => 'c', replace => true") == "5 t 3")
        #expect(
            try await shop.enqueue("'news', 'b', '{}', dedupe_key => 'd', replace => true") == "6 t", "it never left")
        #expect(try await store.results(4) == ["expired/expired"])
        #expect(try await store.lost() == [])
    }

    @Test func aCancelledMessageGivesItsKeyBack() async throws {
        let (store, shop) = try await Self.make()
        _ = try await shop.enqueue(Self.once)
        _ = try await shop.answers("cancel_own(1)")
        #expect(try await shop.enqueue(Self.once) == "1 f")
        #expect(try await shop.enqueue(Self.replace) == "2 t")
        #expect(try await store.claim()?.messages.map(\.id) == [2])
    }

    @Test func theMessageOfAnotherRoleIsNotReplaced() async throws {
        let (store, shop) = try await Self.make()
        try await store.database.execute("SELECT push.enqueue(\(raw: Self.once))")
        #expect(try await shop.enqueue(Self.replace) == "1 f")
        #expect(try await store.claim()?.messages.map(\.id) == [1])
    }

    @Test(arguments: [Localization.properties, .tags])
    func contentsAreReplacedWhole(_ localization: Localization) async throws {
        var hub = TestWorker.news
        hub.localization = localization
        hub.settleMilliseconds = 0
        let (store, shop) = try await Self.make(hub)
        let all =
            #"'news', 'a', translations => '{"en": {"m": "x"}, "fr": {"m": "y"}}', dedupe_key => 'k', replace => true"#
        #expect(try await shop.enqueue(all) == "1 t")
        #expect(try await shop.enqueue(all) == "3 t 1")
        #expect(try await shop.enqueue(Self.replace) == "5 t 3")
        for locale in ["en", "fr"] {
            _ = try await shop.texts(
                """
                INSERT INTO push.message (hub, tag, locale, content_key, dedupe_key, content)
                VALUES ('news', 'a', '\(raw: locale)', 'c', 'm', '{}') RETURNING id::text
                """)
        }
        #expect(try await shop.enqueue("'news', 'a', '{}', dedupe_key => 'm', replace => true") == "8 t 6")
        #expect(try await store.claim()?.messages.map(\.id).sorted() == [5, 8])
        #expect(try await store.test.number("SELECT count(*) FROM push.result WHERE reason = 'replaced'") == 6)
        #expect(try await store.lost() == [])
    }

    /// Its other language is with a worker.
    @Test func aContentOfWhichAPartHasLeftIsNotReplaced() async throws {
        var hub = TestWorker.news
        hub.localization = .tags
        let (store, shop) = try await Self.make(hub)
        _ = try await shop.enqueue(
            #"'news', 'a', translations => '{"en": {"m": "x"}, "fr": {"m": "y"}}', dedupe_key => 'k'"#)
        _ = try #require(try await store.claim(1))
        #expect(try await shop.enqueue(Self.replace) == "1 f")
        #expect(try await store.test.texts("SELECT id::text FROM push.due") == ["2"])
        #expect(try await store.lost() == [])
    }

    @Test(arguments: [true, false]) func ofTwoAtOnceOneMessageLeaves(_ somethingWaits: Bool) async throws {
        let (store, shop) = try await Self.make()
        if somethingWaits { _ = try await shop.enqueue(Self.once) }
        let other = try await store.test.login(as: "push_enqueue")
        let second = try await shop.database.withTransaction { first in
            try await first.execute("SELECT push.enqueue(\(raw: Self.replace))")
            let second = Task { try await other.enqueue(Self.replace) }
            try await store.untilASessionWaits()
            return second
        }
        #expect(try await second.value == (somethingWaits ? "3 t 2" : "2 t 1"))
        #expect(try await store.claim()?.messages.map(\.id) == [somethingWaits ? 3 : 2])
        #expect(try await store.lost() == [])
    }

    @Test func aPlainMessageThatWaitsForAReplacementIsADuplicate() async throws {
        let (store, shop) = try await Self.make()
        let other = try await store.test.login(as: "push_enqueue")
        let second = try await shop.database.withTransaction { first in
            try await first.execute("SELECT push.enqueue(\(raw: Self.replace))")
            let second = Task { try await other.enqueue(Self.once) }
            try await store.untilASessionWaits()
            return second
        }
        #expect(try await second.value == "1 f")
        #expect(try await store.claim()?.messages.map(\.id) == [1])
    }

    @Test func eachObjectOfAListSaysWhatItReplaced() async throws {
        let (store, shop) = try await Self.make()
        _ = try await shop.enqueue("'news', 'a', '{}', dedupe_key => 'k'")
        _ = try await shop.enqueue("'news', 'a', '{}', dedupe_key => 'l'")
        let list = """
            [{"hub": "news", "tag": "a", "content": {"m": "1"}},
             {"hub": "news", "tag": "a", "content": {"m": "2"}, "dedupe_key": "l", "replace": true},
             {"hub": "news", "tag": "a", "content": {"m": "3"}, "dedupe_key": "k"},
             {"hub": "news", "tag": "a", "content": {"m": "4"}, "dedupe_key": "n", "replace": true},
             {"hub": "news", "tag": "b", "locale": "en", "content": {"m": "5"}, "dedupe_key": "o", "replace": true},
             {"hub": "news", "tag": "b", "locale": "fr", "content": {"m": "6"}, "dedupe_key": "o", "replace": true}]
            """
        let rows: SQL =
            "SELECT concat_ws(' ', n, id, inserted, replaced) FROM push.enqueue_many(\(list)::json) ORDER BY n"
        #expect(try await shop.texts(rows) == ["1 3 t", "2 4 t 2", "3 1 f", "4 5 t", "5 6 t", "6 7 t"])
        #expect(try await shop.texts(rows) == ["1 8 t", "2 9 t 4", "3 1 f", "4 10 t 5", "5 11 t 6", "6 12 t 6"])
        #expect(try await store.messages.status(of: 7)?.note == "Message 11 replaced it.")
        #expect(try await store.lost() == [])
    }

    @Test(arguments: [
        ("'news', 'a', '{}', replace => true", "there is no dedupe_key"),
        ("'news', 'a', '{}', replace => true, dedupe_key => 'k', content_key => 'c'", "beside a content_key"),
    ]) func aCallThatCannotReplaceIsRefused(_ arguments: String, _ says: String) async throws {
        let (store, shop) = try await Self.make()
        let error = await #expect(throws: DatabaseError.self) { try await shop.enqueue(arguments) }
        #expect(error?.sqlState == "22023" && error?.hint != nil)
        #expect(error?.message.contains(says) == true, "\(String(describing: error))")
        #expect(try await store.count("message") == 0)
    }

    @Test func aListWithAKeyTwiceIsRefusedIfOneReplaces() async throws {
        let (_, shop) = try await Self.make()
        for (first, second) in [
            ("", #", "replace": true"#), (#", "replace": true"#, ""), (#", "replace": true"#, #", "replace": true"#),
        ] {
            let list = ["a\"\(first)", "b\"\(second)"].map {
                #"{"hub": "news", "content": {}, "dedupe_key": "k", "tag": "\#($0)}"#
            }
            let error = await #expect(throws: DatabaseError.self) {
                try await shop.texts(
                    "SELECT id::text FROM push.enqueue_many(\("[\(list.joined(separator: ","))]")::json)")
            }
            #expect(error?.message.contains(#"message 2 (tag "b")"#) == true, "\(String(describing: error))")
        }
    }

    @Test(arguments: ["json", "jsonb", "text"]) func everyFormOfTheCallReplaces(_ type: String) async throws {
        let (_, shop) = try await Self.make()
        for (n, end) in [(1, "t"), (2, "t 1")] {
            #expect(
                try await shop.enqueue("'news', 'b', '{}'::\(type), dedupe_key => 'k', replace => true")
                    == "\(n) \(end)")
        }
    }
}
