import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Posts are written and committed before they leave, and only by the worker that still holds the claim.
@Suite(.serialized, .timeLimit(.minutes(10))) struct IntentTests {
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

    /// Post 10,000 of a claim would have the id that says "claim + 1, without a post".
    @Test(arguments: [0, -1, 10_000]) func aNumberOutsideOfItsClaimIsRefused(_ n: Int) async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        let error = await #expect(throws: DatabaseError.self) {
            try await store.intend([[ids[0]]], under: claim.id, from: n)
        }
        #expect(error?.sqlState == "22023")
        #expect(try await store.count("post") == 0)
        try await store.intend([[ids[0]]], under: claim.id, from: 9_999)
        #expect(try await store.count("post") == 1)
    }

    /// Taking it for a repeated intent, the worker would post what is written nowhere.
    @Test func aNumberThatOtherMessagesHaveIsAnErrorAndWritesNothing() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]]], under: claim.id)
        let clash = try #require(try await store.intend([[ids[1]], [ids[2]]], under: claim.id))
        #expect(clash.written == [])
        #expect(clash.clash?.contains("post 1 of claim \(claim.id) was written for other messages") == true)
        #expect(try await store.count("post") == 1)
    }

    /// After a fail-over the number of a claim, even that of a worker, may have come again.
    @Test func onlyTheWorkerThatClaimedMayPost() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert()
        let claim = try #require(try await store.claim())
        var stranger = store.queue.worker
        stranger.epoch ^= 1
        let post = (n: 1, post: Post(messages: ids, target: .tag("World"), body: []))
        for worker in [stranger, WorkerID(number: stranger.number + 1, epoch: store.queue.worker.epoch)] {
            let queue = Queue(database: store.database, worker: worker)
            #expect(try await queue.intend([post][...], under: claim.id) == nil)
        }
        #expect(try await store.count("post") == 0)
        #expect(try await store.queue.intend([post][...], under: claim.id)?.written == [1])
    }

    /// A database may be set to answer a commit before it is durable. After a crash the claim and the post would be gone, and
    /// the message would leave again without a word.
    @Test(arguments: ["off", "local"]) func itIsDurableWhateverTheDatabaseIsSetTo(_ setting: String) async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            "DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = \(raw: setting)', current_database()); END$$"
        )
        let ids = try await store.insert()
        let database = store.test.another(maximumConnections: 1)
        let inside: @Sendable (Connection) async throws -> String? = { connection in
            try await connection.query("SHOW synchronous_commit") { rows in try rows.first { row in try row.string() }
            }
        }
        try await database.withTransaction { worker in
            let before = try await inside(worker)
            #expect(before == setting)
            try await worker.execute(
                """
                SELECT FROM push_worker.claim_v1(\(store.hub), 1::smallint, '-infinity', 0, NULL, 10,
                                          \(store.queue.worker.number), \(store.queue.worker.epoch))
                """)
            let after = try await inside(worker)
            #expect(after == "on", "no crash may give the claim's number away again")
        }
        let claim = try await store.test.number("SELECT max(id) FROM push.claim")
        try await database.withTransaction { worker in
            let before = try await inside(worker)
            #expect(before == setting, "it ends with the transaction")
            let intent = try await Self.intend(ids[0], claim, by: worker, of: store)
            #expect(intent.alive)
            let after = try await inside(worker)
            #expect(after == "on")
        }
        try await database.withTransaction { worker in
            try await worker.execute(store.queue.statement(recording: Completion()))
            let after = try await inside(worker)
            #expect(after == "on")
        }
        await database.close()
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
            try await rescuer.execute(
                "SELECT push_worker.rescue_v1(\(store.queue.worker.number), \(store.queue.worker.epoch))")
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
            let intent = try await Self.intend(ids[0], claim.id, by: worker, of: store)
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
            #expect(try await Self.intend(ids[0], claim.id, by: worker, of: store).alive)
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
    private static func intend(
        _ id: Int64, _ claim: Int64, by connection: Connection, of store: StoreFixture
    ) async throws -> (alive: Bool, written: [Int32]) {
        try await connection.query(
            """
            SELECT alive, written
              FROM push_worker.intent_v1(\(claim), \(store.queue.worker.number), \(store.queue.worker.epoch), '{1}'::int[],
                                  '{1}'::int[], '{1}'::int[], \([id]), '{World}'::text[], '{2}'::int[])
            """
        ) { rows in try rows.first { row in (try row.bool(), try row.int32Array()) } ?? (false, []) }
    }

    private static func cancel(_ id: Int64, by connection: Connection) async throws -> String? {
        try await connection.query("SELECT push.cancel(\(id))") { rows in try rows.first { row in try row.string() } }
    }
}
