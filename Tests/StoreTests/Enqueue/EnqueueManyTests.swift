import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// `push.enqueue` and `push.enqueue_many`, which the command line uses, too.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EnqueueManyTests {
    /// `id inserted` of every row that a call returns.
    private func call(_ store: StoreFixture, _ sql: String) async throws -> [String] {
        try await store.test.texts("SELECT id || ' ' || inserted FROM \(raw: sql)")
    }

    @Test func translationsLeaveAsOneContentAtOnce() async throws {
        let store = try await StoreFixture.make(settling: 600_000)
        let with = #"translations => '{"en": {"message": "hi"}, "fr": {"message": "salut"}}'"#
        #expect(try await call(store, "push.enqueue('news', 'a', \(with))") == ["1 true"])
        #expect(
            try await call(store, "push.enqueue('news', 'b', '{\"url\": \"x\"}', \(with), content_key => 'k')") == [
                "3 true"
            ])
        let claim = try #require(try await store.claim())
        #expect(claim.messages.map(\.locale).count == 5)
        #expect(Set(claim.messages.map(\.lead)) == [1, 3])
        #expect(try await store.lost() == [])
        _ = try await store.keyed("en", key: "other")
        #expect(try await store.claim() == nil)  // the setting did not outlive the call
    }

    @Test func aRepeatedKeyReturnsTheFirstMessage() async throws {
        let store = try await StoreFixture.make()
        let once = "push.enqueue('news', 'a', '{}', dedupe_key => 'k')"
        #expect(try await call(store, once) == ["1 true"])
        #expect(try await call(store, once) == ["1 false"])
        let all = #"push.enqueue('news', 'a', dedupe_key => 'l', translations => '{"en": {}, "fr": {}}')"#
        #expect(try await call(store, all) == ["2 true"])
        #expect(try await call(store, all) == ["2 false"])
        #expect(try await store.count("message") == 3)
        #expect(try await store.count("result") == 0)
    }

    @Test func aLostRaceIsFoundAfterwards() async throws {
        let store = try await StoreFixture.make()
        let other = store.test.another()
        let waiting = try await store.database.withConnection { connection in
            try await connection.execute("BEGIN")
            try await connection.execute("SELECT push.enqueue('news', 'a', '{}', dedupe_key => 'k')")
            var message = NewMessage(hub: "news", tag: "a", content: "{}")
            message.dedupeKey = "k"
            let copy = message
            let waiting = Task { try await Messages(database: other).enqueue([copy]) }
            try await store.untilASessionWaits()
            try await connection.execute("COMMIT")
            return waiting
        }
        let enqueued = try await waiting.value
        #expect(enqueued.map(\.id) == [1])
        #expect(enqueued.map(\.inserted) == [false])
        #expect(try await store.results(2) == ["duplicate/duplicate_key"])
        await other.close()
    }

    @Test func everyMessageOfAListHasItsOutcome() async throws {
        let store = try await StoreFixture.make()
        _ = try await call(store, "push.enqueue('news', 'a', '{}', dedupe_key => 'old')")
        var messages = (1...4).map { NewMessage(hub: "news", tag: "t\($0)", content: "{}") }
        messages[1].dedupeKey = "old"
        messages[2].dedupeKey = "new"
        messages[3].dedupeKey = "new"
        let enqueued = try await store.messages.enqueue(messages)
        #expect(enqueued.map(\.id) == [2, 1, 3, 3])
        #expect(enqueued.map(\.inserted) == [true, false, true, false])
        #expect(try await store.lost() == [])
    }

    @Test func everyMessageSaysWhenItIsSentAndADuplicateWhenTheFirst() async throws {
        let store = try await StoreFixture.make()
        _ = try await call(store, "push.enqueue('news', 'a', '{}', dedupe_key => 'k', send_at => '2099-01-01Z')")
        var messages = (1...3).map { NewMessage(hub: "news", tag: "t\($0)", content: "{}") }
        messages[0].sendAt = "2099-01-02Z"
        messages[1].dedupeKey = "k"
        let now = try await store.test.number("SELECT floor(extract(epoch FROM now()))::bigint")
        let times = try await store.messages.enqueue(messages).compactMap(\.sendAt)
        #expect(times.prefix(2) == [4_070_995_200, 4_070_908_800])
        #expect(times.count == 3 && Int64(times[2]) >= now)
    }

    @Test func aMessageCarriesEveryColumn() async throws {
        let store = try await StoreFixture.make()
        var message = NewMessage(hub: "news", content: #"{"aps": {"alert": "x \u00e4"}}"#)
        message.handles = ["quote\"and\\"]
        message.format = "browser"
        message.headers = #"{"Auth": "a", "P256DH": "b"}"#
        message.dedupeKey = "d"
        message.expiresAt = "tomorrow"
        message.onDoubt = "resend"
        message.pack = false
        message.campaign = "c"
        message.run = "r"
        message.tenant = "t"
        message.meta = #"{"order": 7}"#
        message.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        _ = try await store.messages.enqueue([message])
        let claimed = try #require(try await store.claim()?.messages.first)
        #expect(claimed.target == .handles(["quote\"and\\"]))
        #expect(claimed.content == message.content)
        #expect(claimed.headers == message.headers)
        #expect(claimed.onDoubt == .resend)
        #expect(!claimed.pack)
        #expect(
            try await store.test.texts(
                "SELECT concat_ws(' ', campaign, run, tenant, dedupe_key, meta, traceparent) FROM push.message")
                == ["c r t d {\"order\": 7} 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"])
    }

    @Test(arguments: [
        (#"{}"#, "22023", "array"), (#"[7]"#, "22023", "message 1"),
        (#"[{"hub": "news", "tags": "a"}]"#, "22023", "\"tags\""),
        (#"[{"hub": "news", "tag": "a", "content": {}, "id": 7}]"#, "22023", "\"id\""),
        (#"[{"hub": "news", "tag": 7, "content": {}}]"#, "22023", "tag is a JSON number"),
        (
            #"[{"hub": "news", "tag": "a", "content": {}}, {"hub": "news", "tag": "a", "content": {}, "pack": "no"}]"#,
            "22023", "message 2: pack"
        ),
        (#"[{"hub": "news", "tag": "a"}]"#, "23502", "neither content nor translations"),
        (#"[{"hub": "news", "tag": "a", "translations": {}}]"#, "23502", "neither content nor translations"),
        (#"[{"hub": "news", "tag": "a", "translations": {"de": {}}}]"#, "23514", "locale"),
    ]) func anInvalidListIsRefusedWithAHint(_ list: String, _ state: String, _ says: String) async throws {
        let store = try await StoreFixture.untouched
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT push.enqueue_many(\(list)::json)")
        }
        #expect(error?.sqlState == state)
        #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
        #expect(error?.hint?.isEmpty == false)
        #expect(try await store.count("message") == 0)
    }

    @Test func anUnknownMemberIsRefusedWithTheKnownOnes() async throws {
        let store = try await StoreFixture.make()
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute(#"SELECT push.enqueue_many('[{"titel": 1}]')"#)
        }
        for known in ["hub", "translations", "dedupe_key", "send_at"] { #expect(error?.hint?.contains(known) == true) }
    }

    @Test func anEmptyListEnqueuesNothing() async throws {
        let store = try await StoreFixture.make()
        #expect(try await store.messages.enqueue([]).isEmpty)
    }

    @Test func objectsOfAListAreContentsOfTheirOwn() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            """
            SELECT push.enqueue_many('[
                {"hub": "news", "tag": "X", "translations": {"en": {"m": "A"}, "fr": {"m": "A"}}},
                {"hub": "news", "tag": "X", "content": {"m": "B"}},
                {"hub": "news", "tag": "X", "translations": {"en": {"m": "C"}, "fr": {"m": "C"}}}]')
            """)
        #expect(try await store.count("due") == 3)
        #expect(
            try await store.test.texts("SELECT count(*)::text FROM push.translation GROUP BY lead ORDER BY lead")
                == ["2", "2"])
        // Another statement of the caller, in the same transaction, is not mistaken for a part of that list.
        _ = try await store.translate(["en", "fr"], tag: "Y")
        #expect(try await store.count("due") == 4)
    }
}
