import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// `push.cancel_own`: a backend stops what its own role enqueued, and nobody waits for it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CancelOwnTests {
    private static let scheduled = "send_at => '2099-01-01'"

    @Test func aBackendCancelsItsOwnAndNothingElse() async throws {
        let store = try await StoreFixture.make()
        let foreign = try await store.insert()[0]
        let shop = try await store.test.login(as: "push_enqueue")
        let inserted = try await shop.texts(
            #"INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{"m": "x"}') RETURNING id::text"#)[0]
        _ = try await shop.enqueue(#"'news', 'b', '{"m": "x"}', \#(Self.scheduled)"#)
        let called = Int(foreign) + 2
        for _ in 1...2 {
            #expect(
                try await shop.answers("cancel_own(ARRAY[999, \(foreign), \(called), \(inserted), NULL])")
                    == ["999 unknown", "\(foreign) unknown", "\(called) cancelled", "\(inserted) cancelled", "unknown"])
        }
        for id in [Int64(called), Int64(called) - 1] {
            #expect(try await store.results(id) == ["cancelled/cancelled_by_caller"])
        }
        #expect(
            try await store.test.texts("SELECT DISTINCT note FROM push.result")
                == store.test.texts(
                    "SELECT format('Cancelled by %s, who enqueued it.', enqueued_by) FROM push.message WHERE id = \(Int64(called))"
                ))
        #expect(try await store.count("due") == 1)
        #expect(try await store.count("audit") == 0, "a backend's own messages are no news for people on call")
        #expect(try await store.lost() == [])
        #expect(
            try await shop.texts(
                "SELECT id || ' ' || reason FROM push.ended_since('0') WHERE id IS NOT NULL ORDER BY id")
                == ["\(inserted) cancelled_by_caller", "\(called) cancelled_by_caller"])
    }

    @Test func itsTallyIsAddedToItsMinute() async throws {
        let store = try await StoreFixture.make()
        let shop = try await store.test.login(as: "push_enqueue")
        for _ in 1...3 { _ = try await shop.enqueue("'news', 'a', '{}'") }
        for id in 1...3 { _ = try await shop.answers("cancel_own(\(id))") }
        #expect(try await store.count("tally") == 3)
        _ = try await KeyRetention.forget(in: store.database)
        #expect(
            try await store.test.number(
                "SELECT sum(n)::bigint FROM push.tally WHERE status = 'cancelled' AND minute = date_trunc('minute', minute)"
            ) == 3)
    }

    @Test func whatAWorkerHasIsTooLate() async throws {
        let store = try await StoreFixture.make()
        let shop = try await store.test.login(as: "push_enqueue")
        for _ in 1...3 { _ = try await shop.enqueue("'news', 'a', '{}'") }
        let claim = try #require(try await store.claim())
        let late = ["1 too_late", "2 too_late", "3 too_late"]
        #expect(try await shop.answers("cancel_own('{1,2,3}')") == late)
        try await store.intend([[1], [2]], under: claim.id)
        #expect(try await shop.answers("cancel_own('{1,2,3}')") == late)
        #expect(try await store.test.texts("SELECT cancelled::text FROM push.claim") == ["{}"])
        try await store.complete(
            [.accepted(claim.post(1)), .retrying(claim.post(2), after: 60)],
            left: [.init(claim: claim.id, message: 3, outcome: MessageOutcome(.expired, .expired))],
            finished: [claim.id])
        #expect(try await shop.answers("cancel_own('{1,2,3}')") == ["1 too_late", "2 cancelled", "3 too_late"])
        #expect(try await store.results(2) == ["retrying/unavailable", "cancelled/cancelled_by_caller"])
        #expect(try await store.lost() == [])
    }

    /// A claim, or another call, is happening: the answer comes at once.
    @Test func aPointerThatSomebodyHoldsIsTooLate() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let shop = try await store.test.login(as: "push_enqueue")
        _ = try await shop.enqueue("'news', 'a', '{}'")
        _ = try await shop.texts(
            #"INSERT INTO push.message (hub, tag, locale, content_key, content) VALUES ('news', 'a', 'en', 'k', '{}') RETURNING id::text"#
        )
        try await store.database.withTransaction { worker in
            try await worker.execute("SELECT FROM push.due FOR UPDATE")
            try await worker.execute("SELECT FROM push.content FOR NO KEY UPDATE")
            #expect(try await shop.answers("cancel_own('{1,2}')") == ["1 too_late", "2 too_late"])
        }
        #expect(try await store.count("result") == 0)
        #expect(try await shop.answers("cancel_own('{1,2}')") == ["1 cancelled", "2 cancelled"])
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func otherTranslationsAreStillSentUnlessTheyAreMeant() async throws {
        let store = try await StoreFixture.make()
        let shop = try await store.test.login(as: "push_enqueue")
        let all = #"'news', 'a', translations => '{"en": {"m": "x"}, "fr": {"m": "y"}, "zh-Hans": {"m": "z"}}'"#
        for first in ["1", "4", "7"] { #expect(try await shop.enqueue(all) == "\(first) t") }
        #expect(try await shop.answers("cancel_own(2)") == ["2 cancelled"])
        #expect(try await shop.answers("cancel_own(ARRAY[4, 5])") == ["4 cancelled", "5 cancelled"])
        #expect(
            try await shop.answers("cancel_own(7, translations => true)")
                == ["7 cancelled", "8 cancelled", "9 cancelled"])
        let claim = try #require(try await store.claim())
        #expect(claim.messages.map { "\($0.id) of \($0.lead)" }.sorted() == ["1 of 1", "3 of 1", "6 of 6"])
        #expect(try await store.lost() == [])
    }

    @Test func messagesWithAContentKeyAreCancelledBeforeAndAfterTheyAreGathered() async throws {
        let store = try await StoreFixture.make(settling: 600_000)
        let shop = try await store.test.login(as: "push_enqueue")
        for key in ["k", "l", "m"] {
            _ = try await shop.texts(
                """
                INSERT INTO push.message (hub, tag, locale, content_key, content)
                VALUES ('news', 'a', 'en', '\(raw: key)', '{}'), ('news', 'a', 'fr', '\(raw: key)', '{}') RETURNING id::text
                """)
        }
        #expect(try await shop.answers("cancel_own(2)") == ["2 cancelled"])
        #expect(try await store.count("due") == 3)
        #expect(try await shop.answers("cancel_own(3, translations => true)") == ["3 cancelled", "4 cancelled"])
        #expect(try await store.count("due") == 2, "its pointer has nothing left to stand for")
        for key in ["k", "m"] { try await store.settle(key: key) }
        let claim = try #require(try await store.claim())
        #expect(claim.messages.map(\.id).sorted() == [1, 5, 6])
        try await store.intend([[5, 6]], under: claim.id)
        try await store.complete(
            [.retrying(claim.post(1), after: 60)],
            left: [.init(claim: claim.id, message: 1, outcome: .retrying(.released, after: 60, cost: 0))],
            finished: [claim.id])
        #expect(try await shop.answers("cancel_own('{1,6}')") == ["1 cancelled", "6 cancelled"])
        #expect(try await store.status(5) == "retrying")
        #expect(try await store.lost() == [])
    }

    @Test func aKeyStandsForItsWholeContent() async throws {
        let store = try await StoreFixture.make(settling: 600_000)
        let shop = try await store.test.login(as: "push_enqueue")
        let both = #"translations => '{"en": {"m": "x"}, "fr": {"m": "y"}}'"#
        _ = try await shop.enqueue("'news', 'a', \(both), dedupe_key => 'k'")
        _ = try await shop.enqueue("'news', 'a', '{}', dedupe_key => 'l'")
        for locale in ["en", "fr"] {  // two statements
            _ = try await shop.texts(
                """
                INSERT INTO push.message (hub, tag, locale, content_key, dedupe_key, content)
                VALUES ('news', 'a', '\(raw: locale)', 'c', 'm', '{}') RETURNING id::text
                """)
        }
        _ = try await shop.enqueue("'news', 'a', \(both), dedupe_key => 'n'")
        _ = try await shop.answers("cancel_own(6)")  // the first alone: the other leaves by itself
        let kept = try await store.test.login(as: "push_enqueue")
        #expect(try await kept.answers("cancel_own('l', 'news')") == ["3 cancelled"])
        #expect(try await shop.answers("cancel_own('k', 'news')") == ["1 cancelled", "2 cancelled"])
        #expect(
            try await shop.answers("cancel_own(dedupe_key => 'm', hub => 'news')") == ["4 cancelled", "5 cancelled"])
        #expect(try await shop.answers("cancel_own('n', 'news', tenant => NULL)") == ["6 cancelled", "7 cancelled"])
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func aKeyThatIsBeingReplacedIsCancelledAfterwards() async throws {
        let store = try await StoreFixture.make()
        let shop = try await store.test.login(as: "push_enqueue")
        let other = try await store.test.login(as: "push_enqueue")
        _ = try await shop.enqueue("'news', 'a', '{}', dedupe_key => 'k'")
        let second = try await shop.database.withTransaction { first in
            try await first.execute("SELECT push.enqueue('news', 'a', '{}', dedupe_key => 'k', replace => true)")
            let second = Task { try await other.answers("cancel_own('k', 'news')") }
            try await store.untilASessionWaits()
            return second
        }
        #expect(try await second.value == ["2 cancelled"])
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func aKeyOfNobodyIsUnknown() async throws {
        let store = try await StoreFixture.make()
        let shop = try await store.test.login(as: "push_enqueue")
        #expect(try await shop.answers("cancel_own('k', 'news')") == ["unknown"])
        try await store.database.execute("SELECT push.enqueue('news', 'a', '{}', dedupe_key => 'k')")
        #expect(try await shop.answers("cancel_own('k', 'news')") == ["unknown"])
        #expect(try await store.count("due") == 1)
        for (call, says) in [
            ("'k', 'nws'", "not registered"), ("'', 'news'", "dedupe_key"), ("NULL, 'news'", "dedupe_key"),
            ("'k', 'news', ' '", "tenant"),
        ] {
            let error = await #expect(throws: DatabaseError.self) { try await shop.answers("cancel_own(\(call))") }
            #expect(error?.message.contains(says) == true && error?.hint != nil, "\(String(describing: error))")
        }
    }

    @Test func aHubThatLocalisesByTagsHasOneMessageALanguage() async throws {
        var hub = TestWorker.news
        hub.localization = .tags
        hub.keysPerTenant = true
        let store = try await StoreFixture.make(hub)
        let shop = try await store.test.login(as: "push_enqueue")
        for tenant in ["'acme'", "'other'", "NULL"] {
            _ = try await shop.enqueue(
                #"'news', 'a', translations => '{"en": {"m": "x"}, "fr": {"m": "y"}}', dedupe_key => 'k', tenant => \#(tenant)"#
            )
        }
        #expect(
            try await shop.answers("cancel_own('k', 'news', tenant => 'other')") == ["3 cancelled", "4 cancelled"])
        #expect(try await shop.answers("cancel_own('k', 'news')") == ["5 cancelled", "6 cancelled"])
        #expect(try await shop.answers("cancel_own(1)") == ["1 cancelled"])
        #expect(try await store.test.texts("SELECT id::text FROM push.due") == ["2"])
    }

    @Test(arguments: [
        "'{1}'", "'1'", "1", "1::bigint", "ARRAY[1]", "ARRAY[1]::int[]", "'{1}'::varchar", "ids => '{1}'", "id => 1",
        "'{1}', true", "ids => '{1}', translations => true", "'k', 'news'", "'k'::varchar, 'news'::varchar",
        "dedupe_key => 'k', hub => 'news'", "dedupe_key => 'k', hub => 'news', tenant => 'acme'",
    ]) func theCallIsFound(_ arguments: String) async throws {
        let store = try await StoreFixture.make()
        let shop = try await store.test.login(as: "push_enqueue")
        _ = try await shop.enqueue("'news', 'a', '{}', dedupe_key => 'k'")
        #expect(try await shop.answers("cancel_own(\(arguments))") == ["1 cancelled"])
    }

    /// As drivers prepare it: parameters without a type.
    @Test(arguments: [
        ("$1", "'{1}'"), ("$1", "'1'"), ("ids => $1", "'{1}'"), ("$1, $2", "'k', 'news'"),
        ("dedupe_key => $1, hub => $2, tenant => $3", "'k', 'news', NULL"),
        ("ids => $1, translations => $2", "'{1}', 't'"),
    ]) func aPreparedCallIsFound(_ parameters: String, _ values: String) async throws {
        let store = try await StoreFixture.make()
        let shop = try await store.test.login(as: "push_enqueue")
        _ = try await shop.enqueue("'news', 'a', '{}', dedupe_key => 'k'")
        try await shop.database.withConnection { connection in
            try await connection.execute("PREPARE call AS SELECT push.cancel_own(\(raw: parameters))")
            try await connection.execute("EXECUTE call(\(raw: values))")
        }
        #expect(try await store.count("due") == 0)
    }

    @Test(arguments: [
        "cancel_own(1)", "cancel_own('k', 'news')", "retry_own(1)",
        "enqueue('news', 'a', '{}', dedupe_key => 'k', replace => true)",
    ])
    func otherIsolationLevelsAreRefused(_ call: String) async throws {
        let store = try await StoreFixture.make()
        let shop = try await store.test.login(as: "push_enqueue")
        _ = try await shop.enqueue("'news', 'a', '{}', dedupe_key => 'k'")
        let error = await #expect(throws: DatabaseError.self) {
            try await shop.database.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT push.\(call); COMMIT")
        }
        #expect(
            error?.sqlState == "25000" && error?.hint?.contains("READ COMMITTED") == true,
            "\(String(describing: error))")
    }

    /// A worker ends what has expired of hubs that nobody serves.
    @Test func theWorkerThatEndsExpiredMessagesPassesOverWhatIsHeld() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let shop = try await store.test.login(as: "push_enqueue")
        _ = try await shop.texts(
            """
            INSERT INTO push.message (hub, tag, content, content_key, send_at, expires_at)
            SELECT 'news', 'a', '{}', CASE WHEN g > 2 THEN 'k' || g END, now() - interval '2 hours', now() - interval '1 hour'
              FROM generate_series(1, 4) g RETURNING id::text
            """)
        let hubs = Hubs(database: store.database)
        try await shop.database.withTransaction { backend in
            try await backend.execute("SELECT push.cancel_own('{1,3}')")
            #expect(try await hubs.unserved() == ["news"])
            #expect(try await hubs.expireUnserved() == 2)
        }
        #expect(
            try await store.test.texts("SELECT id || ' ' || status FROM push.result ORDER BY id")
                == ["1 cancelled", "2 expired", "3 cancelled", "4 expired"])
        #expect(try await store.lost() == [])
    }
}
