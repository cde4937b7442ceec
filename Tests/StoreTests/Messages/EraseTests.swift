import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// `push.erase`: nothing that a message said, or to whom, stays in the tables.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EraseTests {
    private static let secret = "Qxz"

    /// Tables that have the word in some row, partitions under their parents.
    private static func places(_ store: StoreFixture, of word: String = secret) async throws -> [String] {
        let tables = try await store.test.texts(
            """
            SELECT oid::regclass::text FROM pg_class
             WHERE relnamespace = 'push'::regnamespace AND (relkind = 'r' AND NOT relispartition OR relkind = 'p') ORDER BY 1
            """)
        var found: [String] = []
        for table in tables
        where try await store.test.number(
            "SELECT count(*) FROM \(raw: table) t WHERE t::text LIKE '%' || \(word) || '%'") > 0
        { found.append(table) }
        return found
    }

    private static func outcomes(_ store: StoreFixture, _ ids: [Int64]) async throws -> [String] {
        try await store.messages.erase(ids).map { "\($0.id) \($0.outcome.rawValue)" }
    }

    /// A message with the word in every text it can have.
    private static func enqueue(
        _ store: StoreFixture, key: Bool = true, locale: String? = nil, later: Bool = false
    ) async throws -> Int64 {
        var message = NewMessage(hub: "news", tag: "\(secret)Tag", content: #"{"message": "\#(secret)"}"#)
        message.campaign = "spring"
        message.locale = locale
        message.headers = #"{"apns-collapse-id": "\#(secret)"}"#
        message.meta = #"{"x": "\#(secret)"}"#
        message.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        if key {
            message.contentKey = "\(secret)Content"
            message.dedupeKey = "\(secret)Dedupe\(locale ?? "")"
        }
        if later { message.sendAt = "2199-01-01T00:00:00Z" }
        return try await store.messages.enqueue([message])[0].id
    }

    private static func isErased(_ id: Int64, _ store: StoreFixture) async throws -> Bool {
        try await store.test.number(
            """
            SELECT count(*) FROM push.message
             WHERE id = \(id) AND content::text = 'null' AND campaign IS NOT DISTINCT FROM 'spring' AND hub = 'news'
               AND num_nonnulls(tag, handles, headers, meta, traceparent, content_key, dedupe_key) = 0
            """) == 1
    }

    @Test(arguments: [false, true]) func aPendingMessageIsCancelledAndErased(_ isKeyed: Bool) async throws {
        let store = try await StoreFixture.make(settling: isKeyed ? 600_000 : 0)
        let id = try await Self.enqueue(store, key: isKeyed, later: !isKeyed)
        #expect(try await Self.places(store).contains("push.message"))
        #expect(try await Self.places(store).contains("push.content") == isKeyed)
        #expect(try await Self.places(store).contains("push.dedupe") == isKeyed)
        for _ in 1...2 { #expect(try await Self.outcomes(store, [id]) == ["\(id) erased"]) }
        #expect(try await Self.places(store) == [])
        #expect(try await Self.isErased(id, store))
        #expect(try await store.status(id) == "cancelled")
        #expect(try await store.messages.status(of: id)?.target == "(erased)")
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func aMessageInTheHandsOfAWorkerIsErasedAndNeverLeaves() async throws {
        let store = try await StoreFixture.make()
        let id = try await Self.enqueue(store, key: false)
        let other = try await store.insert()[0]
        let claim = try #require(try await store.claim())
        #expect(claim.messages.count == 2)
        #expect(try await Self.outcomes(store, [id]) == ["\(id) erased"])
        let intent = try await store.intend([[id], [other]], under: claim.id)
        #expect(intent?.written == [2])
        try await store.complete([.accepted(claim.post(2))], finished: [claim.id])
        #expect(try await Self.places(store) == [])
        #expect(try await store.status(id) == "cancelled")
        #expect(try await store.status(other) == "accepted")
        #expect(try await store.lost() == [])
    }

    @Test func aMessageOnTheWireIsBusyUntilItsAnswer() async throws {
        let store = try await StoreFixture.make()
        let id = try await Self.enqueue(store, key: false)
        let claim = try #require(try await store.claim())
        try await store.intend([[id]], under: claim.id)
        #expect(try await Self.outcomes(store, [id, 999]) == ["\(id) busy", "999 unknown"])
        #expect(try await store.status(id) == "posting")
        try await store.complete([.accepted(claim.post(1))], finished: [claim.id])
        #expect(try await Self.outcomes(store, [id]) == ["\(id) erased"])
        #expect(try await Self.places(store) == [])
        #expect(try await store.results(id) == ["accepted/taken_by_hub"])
        #expect(try await store.lost() == [])
    }

    /// The words of the hub name the target, and a packed post names several.
    @Test func postsAnswersAndNotesForgetIt() async throws {
        let store = try await StoreFixture.make()
        let id = try await Self.enqueue(store, key: false)
        let other = try await store.insert()[0]
        let claim = try #require(try await store.claim())
        let words = "tag \(Self.secret)Tag is not right"
        func refused(_ post: Int64, _ outcome: MessageOutcome?) -> Completion.Answered {
            .init(
                post: post, answer: Answer(verdict: .rejected(because: words), status: 400, error: words),
                outcome: outcome,
                messages: [])
        }
        _ = try await store.queue.intend(
            [
                (n: 1, post: Post(messages: [id, other], target: .tag("\(Self.secret)Tag || tag1"), body: [1]))
            ][...], under: claim.id)
        try await store.complete([refused(claim.post(1), nil)])  // it is split
        _ = try await store.queue.intend(
            [
                (n: 2, post: Post(messages: [id], target: .tag("\(Self.secret)Tag"), body: [1])),
                (n: 3, post: Post(messages: [other], target: .tag("tag1"), body: [1])),
            ][...], under: claim.id)
        let outcome = MessageOutcome(.rejected, .badRequest, note: words)
        try await store.complete(
            [refused(claim.post(2), outcome), refused(claim.post(3), outcome)], finished: [claim.id])
        let places = try await Self.places(store)
        #expect(places == ["push.answer", "push.message", "push.post", "push.result"])
        #expect(try await Self.outcomes(store, [id]) == ["\(id) erased"])
        #expect(
            try await store.test.texts("SELECT target FROM push.post ORDER BY id") == ["(erased)", "(erased)", "tag1"])
        #expect(
            try await store.test.texts("SELECT error FROM push.answer ORDER BY post") == [
                "(erased)", "(erased)", words,
            ])
        #expect(
            try await store.test.texts("SELECT id || note FROM push.result ORDER BY id") == [
                "\(id)(erased)", "\(other)\(words)",
            ])
        #expect(try await store.test.texts("SELECT target FROM push.recent_failures WHERE id = \(id)") == ["(erased)"])
        #expect(try await store.messages.status(of: id)?.posts == 2)
    }

    /// A post was refused as a whole, and its worker died before its halves left: only that post names the target.
    @Test func aPostThatWasNeverSplitForgetsItToo() async throws {
        let store = try await StoreFixture.make()
        let id = try await Self.enqueue(store, key: false)
        let other = try await store.insert()[0]
        let claim = try #require(try await store.claim())
        _ = try await store.queue.intend(
            [
                (n: 1, post: Post(messages: [id, other], target: .tag("\(Self.secret)Tag || tag1"), body: [1]))
            ][...], under: claim.id)
        try await store.complete([.refusedWhole(claim.post(1))])
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.messages.status(of: id)?.posts == 1, "no request is forgotten")
        #expect(try await store.results(id) == ["retrying/released"])
        #expect(try await store.lost() == [])
        #expect(try await Self.outcomes(store, [id]) == ["\(id) erased"])
        let places = try await Self.places(store)
        #expect(places == [])
        #expect(try await store.lost() == [])
    }

    @Test func handlesAndBroadcastsAreErased() async throws {
        let store = try await StoreFixture.make()
        var direct = NewMessage(hub: "news", content: #"{"data": {"m": "\#(Self.secret)"}}"#)
        direct.handles = ["\(Self.secret)1", "\(Self.secret)2"]
        direct.format = "adm"
        let ids = try await store.messages.enqueue([direct]).map(\.id)
        #expect(try await Self.outcomes(store, ids) == ["\(ids[0]) erased"])
        #expect(try await Self.places(store) == [])
        #expect(try await store.messages.status(of: ids[0])?.target == "(erased)")
    }

    /// A row of keys that stands for several messages says nothing that the others do not say.
    @Test func theKeysOfAContentGoWithTheLastOfItsMessages() async throws {
        let store = try await StoreFixture.make()
        let english = try await Self.enqueue(store, locale: "en")
        let french = try await Self.enqueue(store, locale: "fr")
        try await store.settle(key: "\(Self.secret)Content")
        let claim = try #require(try await store.claim())
        #expect(claim.messages.map(\.id).sorted() == [english, french])
        try await store.intend([[english, french]], under: claim.id)
        try await store.complete([.accepted(claim.post(1))], finished: [claim.id])
        #expect(try await Self.outcomes(store, [english]) == ["\(english) erased"])
        #expect(try await store.test.texts("SELECT ids::text FROM push.content_taken") == ["{\(french)}"])
        #expect(try await store.test.texts("SELECT key FROM push.dedupe") == ["\(Self.secret)Dedupefr"])
        #expect(try await Self.outcomes(store, [french]) == ["\(french) erased"])
        #expect(try await Self.places(store) == [])
        #expect(try await store.lost() == [])
    }

    @Test func anErasedTranslationLeavesTheOthersToBeSent() async throws {
        let store = try await StoreFixture.make(settling: 600_000)
        let english = try await Self.enqueue(store, locale: "en")
        let french = try await Self.enqueue(store, locale: "fr")
        #expect(try await Self.outcomes(store, [english]) == ["\(english) erased"])
        try await store.settle(key: "\(Self.secret)Content")
        #expect(try await store.lost() == [])
        let claim = try #require(try await store.claim())
        #expect(claim.messages.map(\.id) == [french])
        try await store.intend([[french]], under: claim.id)
        try await store.complete([.accepted(claim.post(1))], finished: [claim.id])
        #expect(try await store.lost() == [])
        #expect(try await store.claim() == nil)
        #expect(try await store.count("due") == 0)
    }

    /// Nobody could send it again, and no late answer may put it back.
    @Test func aDoubtEndsAsRejected() async throws {
        let store = try await StoreFixture.make()
        let id = try await Self.enqueue(store, key: false)
        let claim = try #require(try await store.claim())
        try await store.intend([[id]], under: claim.id)
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await Self.outcomes(store, [id]) == ["\(id) erased"])
        #expect(try await store.results(id) == ["in_doubt/worker_lost", "rejected/resolved"])
        try await store.complete([.retrying(claim.post(1))], finished: [claim.id])
        #expect(try await store.status(id) == "rejected")
        #expect(try await store.count("due") == 0)
        #expect(try await store.doubts.list(hub: nil, limit: 10) == [])
        #expect(try await store.lost() == [])
    }

    @Test func anErasedMessageIsNotSentAgain() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        try await store.complete([.rejected(claim.post(1)), .rejected(claim.post(2))], finished: [claim.id])
        #expect(try await Self.outcomes(store, [ids[0]]) == ["\(ids[0]) erased"])
        for decide in [{ try await store.messages.retry(ids) }, { try await store.doubts.resolve(ids, as: .resend) }] {
            let error = await #expect(throws: DatabaseError.self) { try await decide() }
            #expect(error?.sqlState == "55000")
            #expect(error?.message == "message \(ids[0]) was erased: there is nothing left to send")
        }
        #expect(
            try await store.all("SELECT retried, 0::bigint, next FROM push.retry_failed('news', after => $after)").first
                == 1)
        #expect(try await store.status(ids[0]) == "rejected")
        #expect(try await store.status(ids[1]) == "retrying")
        #expect(try await store.lost() == [])
    }

    @Test func aRetryThatWaitsForAnEraseSendsNothing() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert()
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        try await store.complete([.rejected(claim.post(1))], finished: [claim.id])
        let late = try await store.database.withTransaction { person in
            try await person.execute("SELECT push.erase(\(ids))")
            let late = Task { try await store.messages.retry(ids) }
            try await store.untilASessionWaits()
            return late
        }
        #expect(try await late.value == 0)
        #expect(try await store.status(ids[0]) == "rejected")
        #expect(try await store.lost() == [])
    }

    @Test func theAuditNamesIdsAndNoTexts() async throws {
        let store = try await StoreFixture.make()
        let id = try await Self.enqueue(store)
        _ = try await Self.outcomes(store, [id, 999])
        #expect(
            try await store.test.texts("SELECT detail::text FROM push.audit WHERE action = 'erase'") == [
                #"{"ids" : [\#(id),999], "erased" : 1}"#
            ])
    }

    @Test func onlyEraseChangesAMessage() async throws {
        let store = try await StoreFixture.make()
        let id = try await Self.enqueue(store)
        _ = try await Self.outcomes(store, [id])
        for statement in [
            "UPDATE push.message SET content = '{}'", "UPDATE push.message SET tag = 'a'", "DELETE FROM push.message",
        ] {
            let error = await #expect(throws: DatabaseError.self) {
                try await store.database.execute("\(raw: statement)")
            }
            #expect(error?.hint?.contains("push.") == true, "\(statement)")
        }
    }

    /// A recipient whose row names no tag has never had one.
    @Test func aRecipientWithoutATagIsNotShownAsErased() async throws {
        let store = try await StoreFixture.make()
        #expect(
            try await store.test.texts(
                "SELECT unnest(ARRAY[push.target_of(NULL, NULL, false, '42'), push.target_of(NULL, NULL, false, NULL)])"
            )
                == ["(no tag)", "(erased)"])
    }
}
