import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// Workers gather contents with a key: each message exactly once, despite races, cancels and crashes.
@Suite(.serialized, .timeLimit(.minutes(10))) struct GatherTests {
    @Test func racingWorkersTakeEachContentOnceAndWhole() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let contents = 300
        for locale in ["en", "fr", "zh-Hans"] {
            try await store.database.execute(
                """
                INSERT INTO push.message (hub, tag, locale, content_key, content)
                SELECT 'news', 't' || g, \(locale), 'k' || g % 7, '{}' FROM generate_series(1, \(contents)) g ORDER BY random()
                """)
        }
        let claims = try await withThrowingTaskGroup(of: [Claim].self) { group in
            for _ in 1...4 {
                let queue = try await store.another()
                group.addTask {
                    var claims: [Claim] = []
                    while try await store.count("due") > 0 {
                        if let claim = try await store.claim(20, by: queue) { claims.append(claim) }
                    }
                    return claims
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let messages = claims.flatMap(\.messages)
        #expect(messages.count == contents * 3)
        #expect(Set(messages.map(\.id)).count == contents * 3)
        for claim in claims {
            for content in Dictionary(grouping: claim.messages, by: \.lead).values {
                #expect(Set(content.map(\.locale)) == ["en", "fr", "zh-Hans"])
                #expect(Set(content.map(\.target)).count == 1)
            }
        }
        #expect(try await store.count("result") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func smallClaimsLeaveNothingBehindThePosition() async throws {
        let store = try await StoreFixture.make(settling: 0)
        var expected: Set<Int64> = []
        for n in 1...12 {
            expected.formUnion([
                try await store.keyed("en", key: "k\(n % 3)", tag: "t\(n % 4)"),
                try await store.insert(1)[0],
            ])
        }
        var position = DuePosition.start
        var seen: Set<Int64> = []
        while let claim = try await store.queue.claim(hub: store.hub, priority: .normal, after: position, limit: 2) {
            seen.formUnion(claim.messages.map(\.id))
            position = claim.position
        }
        #expect(seen == expected)
    }

    @Test func aRescuedContentIsClaimedWholeAgain() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let ids = [try await store.keyed("en"), try await store.keyed("fr")]
        let claim = try #require(try await store.claim())
        _ = try await store.workers.rescue(claims: [claim.id])
        #expect(try await store.lost() == [])
        for id in ids { #expect(try await store.status(id) == "due") }
        #expect(try await store.results(try await store.keyed("zh-Hans")) == ["rejected/late_translation"])
        #expect(try await store.claim()?.messages.map(\.id).sorted() == ids)
    }

    @Test func aRetriedContentComesBackWholeAndCanBeCancelled() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let ids = [try await store.keyed("en"), try await store.keyed("fr")]
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        try await store.complete([.retrying(claim.post(1))], finished: [claim.id])
        #expect(try await store.status(ids[1]) == "retrying")
        #expect(try await store.messages.cancel(ids[0]) == "cancelled")
        #expect(try await store.lost() == [])
        let again = try #require(try await store.claim())
        #expect(again.messages.map(\.id) == [ids[1]])
        #expect(again.messages.map(\.attempt) == [1])
    }

    @Test(arguments: [0, 1, 2]) func aTranslationCancelledBeforeGatheringStaysOut(_ which: Int) async throws {
        let store = try await StoreFixture.make(settling: 600_000)
        var ids = try await store.database.query(
            """
            INSERT INTO push.message (hub, tag, locale, content_key, content)
            VALUES ('news', 'World', 'en', 'k', '{}'), ('news', 'World', 'fr', 'k', '{}') RETURNING id
            """
        ) { rows in try rows.map { row in try row.int64() } }
        ids.append(try await store.keyed(nil))
        #expect(try await store.messages.cancel(ids[which]) == "cancelled")
        #expect(try await store.messages.cancel(ids[which]) == "cancelled")
        #expect(try await store.lost() == [])
        try await store.settle()
        let left = ids.filter { $0 != ids[which] }
        #expect(try await store.claim()?.messages.map(\.id).sorted() == left)
        #expect(try await store.results(ids[which]) == ["cancelled/cancelled_by_caller"])
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func aContentWithAllMessagesCancelledLeavesNothing() async throws {
        let store = try await StoreFixture.make(settling: 600_000)
        let ids = [try await store.keyed("en"), try await store.keyed("fr")]
        for id in ids { #expect(try await store.messages.cancel(id) == "cancelled") }
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
        // The key was never used, so the content may come again.
        let again = try await store.keyed("en")
        try await store.settle()
        #expect(try await store.claim()?.messages.map(\.id) == [again])
    }

    /// No backend can write more at once, but it can in many statements.
    @Test func translationsBeyondAHundredEnd() async throws {
        let store = try await StoreFixture.make(settling: 600_000)
        var ids: [Int64] = []
        for n in 0..<103 {
            let region = String(UnicodeScalar(UInt8(65 + n / 26))) + String(UnicodeScalar(UInt8(65 + n % 26)))
            ids.append(try await store.keyed("en-\(region)"))
        }
        try await store.settle()
        #expect(try await store.claim()?.messages.map(\.id).sorted() == Array(ids[..<100]))
        for id in ids[100...] { #expect(try await store.results(id) == ["rejected/not_sendable"]) }
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    /// Cancelled while somebody held the pointer, and forgotten a day later: the pointer was looked at for ever.
    @Test func aPointerWhoseContentsAreForgottenIsSpent() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let id = try await store.keyed("en")
        try await store.database.withTransaction { person in
            try await person.execute("SELECT FROM push.due FOR UPDATE")
            #expect(try await store.messages.cancel(id) == "cancelled")
        }
        #expect(try await store.count("due") == 1)
        try await store.database.execute("DELETE FROM push.content")
        let other = try await store.insert()
        #expect(try await store.claim()?.messages.map(\.id) == other)
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func aKeyedMessageThatWasDeletedIsDroppedAndNoted() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let ids = [try await store.keyed("en"), try await store.keyed("fr")]
        try await store.delete([ids[0]])
        #expect(try await store.claim()?.messages.map(\.id) == [ids[1]])
        #expect(try await store.count("due") == 0)
        #expect(
            try await store.test.texts("SELECT detail ->> 'messages' FROM push.audit WHERE action = 'dropped_pointer'")
                == ["[\(ids[0])]"])
    }

    @Test func aContentWithAnOpenCancelWaitsAndDelaysNoOther() async throws {
        for commits in [true, false] {
            let store = try await StoreFixture.make(settling: 0)
            let ids = [try await store.keyed("en"), try await store.keyed("fr")]
            let other = try await store.keyed("en", key: "other")
            struct Back: Error {}
            do {
                try await store.database.withTransaction { connection in
                    try await connection.execute("SELECT push.cancel(\(ids[1]))")
                    // In another session: a wait would never end.
                    #expect(try await store.claim()?.messages.map(\.id) == [other])
                    if !commits { throw Back() }
                }
            } catch is Back {}
            #expect(try await store.claim()?.messages.map(\.id) == (commits ? [ids[0]] : ids))
            #expect(try await store.lost() == [])
        }
    }

    @Test func aCancelDuringGatheringWaitsAndFindsTheClaim() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let ids = [try await store.keyed("en"), try await store.keyed("fr")]
        let other = store.test.another()
        let cancelling = try await store.database.withTransaction { connection in
            try await connection.execute(
                "SELECT FROM push_worker.claim_v1(\(store.hub), 1::smallint, '-infinity', 0, NULL, 10, 1, 1)")
            let task = Task { try await Messages(database: other).cancel(ids[1]) }
            try await store.untilASessionWaits()
            return task
        }
        #expect(try await cancelling.value == "cancelled")
        #expect(try await store.test.texts("SELECT array_to_string(cancelled, ',') FROM push.claim") == ["\(ids[1])"])
        #expect(try await store.lost() == [])
        await other.close()
    }
}
