import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Posts are written and committed before they leave, and only by the worker that still holds the claim.
@Suite(.serialized, .timeLimit(.minutes(2))) struct IntentTests {
    @Test func itWritesEachPostUnderItsNumber() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let claim = try #require(try await store.claim())
        let intent = try #require(try await store.intend([[ids[0], ids[1]], [ids[2]]], under: claim.id))
        #expect(intent.written == [1, 2])
        #expect(intent.cancelled == [])
        #expect(
            try await store.test.texts(
                "SELECT id || ' ' || ids::text || ' ' || target || ' ' || bytes FROM push.post ORDER BY id")
                == ["\(claim.post(1)) {\(ids[0]),\(ids[1])} World 2", "\(claim.post(2)) {\(ids[2])} World 2"])
        for id in ids { #expect(try await store.status(id) == "posting") }
        #expect(try await store.lost() == [])
    }

    @Test func aRepeatedIntentChangesNothing() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]]], under: claim.id)
        let again = try #require(try await store.intend([[ids[0]], [ids[1]]], under: claim.id))
        #expect(again.written == [1, 2])
        #expect(try await store.count("post") == 2)
    }

    @Test func afterARescueItWritesNothing() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        #expect(
            try await store.workers.rescue(store.queue.worker) == Workers.Rescued(claims: 1, returned: 2, doubted: 0))
        #expect(try await store.intend([ids], under: claim.id) == nil)
        #expect(try await store.count("post") == 0)
        #expect(try await store.count("due") == 2)
    }

    @Test func anIntentDuringARescueWaitsAndThenWritesNothing() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        let late = try await store.database.withTransaction { rescuer in
            try await rescuer.execute("SELECT push.rescue_v1(\(store.queue.worker))")
            let late = Task { try await store.intend([ids], under: claim.id) }
            try await store.untilASessionWaits()
            return late
        }
        #expect(try await late.value == nil)
        #expect(try await store.count("post") == 0)
        #expect(try await store.count("due") == 2)
        #expect(try await store.lost() == [])
    }

    @Test func aRescueDuringAnIntentSkipsTheClaim() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await store.database.withTransaction { worker in
            let intent = try await Self.intend(ids[0], claim, by: worker)
            #expect(intent.alive)
            #expect(try await store.workers.rescue(store.queue.worker) == Workers.Rescued())
            #expect(try await store.count("worker") == 1)
        }
        #expect(
            try await store.workers.rescue(store.queue.worker) == Workers.Rescued(claims: 1, returned: 1, doubted: 1))
        #expect(try await store.status(ids[0]) == "in_doubt")
        #expect(try await store.status(ids[1]) == "due")
        #expect(try await store.count("worker") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func anIntentDuringACancelWaitsAndOmitsTheMessage() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        let late = try await store.database.withTransaction { person in
            #expect(try await Self.cancel(ids[0], by: person) == "cancelled")
            let late = Task { try await store.intend([[ids[0]], [ids[1]]], under: claim.id) }
            try await store.untilASessionWaits()
            return late
        }
        let intent = try #require(try await late.value)
        #expect(intent.written == [2])
        #expect(intent.cancelled == [ids[0]])
        #expect(try await store.status(ids[0]) == "cancelled")
        #expect(try await store.status(ids[1]) == "posting")
        #expect(try await store.lost() == [])
    }

    @Test func aCancelDuringAnIntentWaitsAndIsTooLate() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        let late = try await store.database.withTransaction { worker in
            #expect(try await Self.intend(ids[0], claim, by: worker).alive)
            let late = Task { try await store.messages.cancel(ids[0]) }
            try await store.untilASessionWaits()
            return late
        }
        #expect(try await late.value == "too_late")
        #expect(try await store.intend([[ids[0]]], under: claim.id)?.cancelled == [])
        #expect(try await store.messages.cancel(ids[1]) == "cancelled")
        #expect(try await store.lost() == [])
    }

    /// Writes the intent of one post inside a transaction that stays open.
    private static func intend(_ id: Int64, _ claim: Claim, by connection: Connection) async throws -> (
        alive: Bool, written: [Int32]
    ) {
        try await connection.query(
            """
            SELECT alive, written FROM push.intent_v1(\(claim.id), '{1}'::int[], '{1}'::int[], '{1}'::int[], \([id]), '{World}'::text[], '{2}'::int[])
            """
        ) { rows in try rows.first { row in (try row.bool(0), try row.int32Array(1)) } ?? (false, []) }
    }

    private static func cancel(_ id: Int64, by connection: Connection) async throws -> String? {
        try await connection.query("SELECT push.cancel(\(id))") { rows in try rows.first { row in try row.string(0) } }
    }
}
