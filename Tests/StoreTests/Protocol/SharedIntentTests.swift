import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Posts of several claims in one statement: the same fence for each, and none waits for another.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SharedIntentTests {
    private func portion(_ claim: Claim, from first: Int = 1) -> IntentPortion {
        let posts = claim.messages.enumerated().map { index, message in
            (n: first + index, post: Post(messages: [message.id], target: .tag("World"), body: Array("{}".utf8)))
        }
        return IntentPortion(claim: claim.id, posts: posts)
    }

    private func claims(_ store: StoreFixture, _ count: Int) async throws -> [Claim] {
        var claims: [Claim] = []
        for _ in 0..<count {
            _ = try await store.insert(2)
            claims.append(try #require(try await store.claim()))
        }
        return claims
    }

    @Test(arguments: [1, 2, 5]) func eachPostIsWrittenUnderItsClaim(count: Int) async throws {
        let store = try await StoreFixture.make()
        let claims = try await claims(store, count)
        let intents = try await store.queue.intend(claims.map { portion($0) })
        #expect(intents.map { $0?.written } == claims.map { _ in [1, 2] })
        let expected = claims.flatMap { claim in
            claim.messages.enumerated().map { "\(claim.post($0 + 1)) \(store.hub) {\($1.id)} World 2" }
        }
        #expect(
            try await store.test.texts(
                "SELECT id || ' ' || hub || ' ' || ids::text || ' ' || target || ' ' || bytes FROM push.post ORDER BY id"
            )
                == expected)
        // After a lost answer it comes again.
        #expect(
            try await store.queue.intend(claims.map { portion($0) }).map { $0?.written } == claims.map { _ in [1, 2] })
        #expect(try await store.count("post") == 2 * count)
        #expect(try await store.lost() == [])
    }

    @Test func cancelledMessagesAreLeftOutOfTheirClaimOnly() async throws {
        let store = try await StoreFixture.make()
        let claims = try await claims(store, 2)
        let cancelled = claims[0].messages[1].id
        try await store.database.execute("SELECT push.cancel(\(cancelled))")
        let intents = try await store.queue.intend(claims.map { portion($0) })
        #expect(intents.map { $0?.written } == [[1], [1, 2]])
        #expect(intents[0]?.cancelled == [cancelled])
        #expect(try await store.count("post") == 3)
    }

    @Test func aRescuedClaimAndAStrangersWriteNothing() async throws {
        let store = try await StoreFixture.make()
        let claims = try await claims(store, 2)
        var other = store.queue.worker
        other.epoch ^= 1
        let stranger = Queue(database: store.database, worker: other)
        #expect(try await stranger.intend(claims.map { portion($0) }).map { $0 == nil } == [true, true])
        _ = try await store.workers.rescue(claims: [claims[0].id])
        let intents = try await store.queue.intend(claims.map { portion($0) })
        #expect(intents[0] == nil && intents[1]?.written == [1, 2])
        #expect(try await store.count("post") == 2)
    }

    /// A cancel in an open transaction, or a rescue, holds one of them.
    @Test func itDoesNotWaitForAClaimThatAnotherSessionHolds() async throws {
        let store = try await StoreFixture.make()
        let claims = try await claims(store, 3)
        try await store.database.withTransaction { person in
            try await person.execute("SELECT push.cancel(\(claims[1].messages[0].id))")
            let intents = try await store.queue.intend(claims.map { portion($0) })
            #expect(intents.map { $0?.isHeld } == [false, true, false])
            #expect(intents.map { $0?.written } == [[1, 2], [], [1, 2]])
        }
        #expect(try await store.queue.intend([portion(claims[1])]).map { $0?.written } == [[2]])
        #expect(try await store.lost() == [])
    }

    @Test func aNumberThatOtherMessagesHaveWritesNothingAtAll() async throws {
        let store = try await StoreFixture.make()
        let claims = try await claims(store, 2)
        try await store.intend([[claims[1].messages[1].id]], under: claims[1].id)
        let error = await #expect(throws: DatabaseError.self) {
            try await store.queue.intend(claims.map { portion($0) })
        }
        #expect(error?.is(.uniqueViolation) == true)
        #expect(try await store.count("post") == 1)
    }

    @Test func numberZeroIsRefused() async throws {
        let store = try await StoreFixture.make()
        let claims = try await claims(store, 2)
        let error = await #expect(throws: DatabaseError.self) {
            try await store.queue.intend(claims.map { portion($0, from: 0) })
        }
        #expect(error?.sqlState == "22023")
        #expect(try await store.count("post") == 0)
    }
}
