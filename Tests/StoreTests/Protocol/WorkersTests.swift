import Foundation
import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Workers in the database.
@Suite(.serialized, .timeLimit(.minutes(10))) struct WorkersTests {
    @Test func heartbeatsGrowAndShowEveryWorker() async throws {
        let store = try await StoreFixture.make()
        let other = try await store.another()
        try await store.insert()
        let claim = try #require(try await store.claim())
        let first = try await store.workers.beat(store.queue.worker, doing: "posting")
        let second = try await store.workers.beat(store.queue.worker, doing: "posting")
        #expect(second.mine?.beats == (first.mine?.beats ?? 0) + 1)
        #expect(second.mine?.claims == [claim.id])
        #expect(second.newestClaim == claim.id)
        #expect(second.others == [Workers.Seen(id: other.worker, beats: 0, leaseSeconds: 15)])
        let shown = try #require(try await SystemStatus.read(from: store.database).workers.first)
        #expect(shown.doing == "posting")
        #expect(shown.claims == 1)
        #expect(shown.messages == 1)
        #expect(try await store.workers.rescue(other.worker) == Workers.Rescued())
        #expect(try await store.workers.beat(store.queue.worker, doing: "").others == [])
    }

    @Test func aWorkerKnowsItsLeaseAndWhereItsClaimsBegin() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(2)
        let before = try #require(try await store.claim(1))
        let registration = try await store.workers.register(name: "host/2", version: "test", leaseSeconds: 30)
        let claim = try #require(
            try await store.claim(1, by: Queue(database: store.database, worker: registration.id)))
        #expect((before.id...claim.id).contains(registration.lowestClaim))
        #expect(
            try await store.test.texts("SELECT id || ' ' || lease_seconds FROM push.worker ORDER BY id")
                == ["1 15", "2 30"])
        let seen = try await store.workers.beat(
            registration.id, lowestClaim: registration.lowestClaim, doing: "")
        #expect(seen.mine?.claims == [claim.id])
    }

    @Test func claimsBelowTheFloorAreNotLookedAt() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(2)
        let low = try #require(try await store.claim(1))
        let high = try #require(try await store.claim(1))
        let me = store.queue.worker
        #expect(try await store.workers.beat(me, lowestClaim: high.id, doing: "").mine?.claims == [low.id, high.id])
        // What any worker named counts, from the next heartbeat on.
        #expect(try await store.workers.beat(me, lowestClaim: high.id, doing: "").mine?.claims == [high.id])
        #expect(try await store.workers.beat(me, lowestClaim: nil, doing: "").mine?.claims == [low.id, high.id])
        #expect(try await store.test.number("SELECT push_internal.lowest_claim()") == high.id)
    }

    // MARK: - What must not stop a heartbeat

    @Test func aHeldRowStopsOnlyTheCount() async throws {
        let store = try await StoreFixture.make()
        let other = try await store.another()
        let person = store.test.another(maximumConnections: 1)
        try await person.withTransaction { connection in
            try await connection.execute("SELECT FROM push.worker WHERE id = 1 FOR UPDATE")
            let seen = try await store.workers.beat(store.queue.worker, doing: "")
            #expect(seen.mine?.beats == 0)
            #expect(seen.others.map(\.id) == [other.worker])
        }
        await person.close()
        #expect(try await store.workers.beat(store.queue.worker, doing: "").mine?.beats == 1)
    }

    @Test func aReportThatCannotBeWrittenStopsNoHeartbeat() async throws {
        let store = try await StoreFixture.make()
        let reports = [HubReport(hub: store.hub), HubReport(hub: 4711)]
        #expect(try await store.workers.beat(store.queue.worker, doing: "", reports: reports).mine?.beats == 1)
        #expect(try await store.test.texts("SELECT hub::text FROM push.serving") == ["\(store.hub)"])
        let person = store.test.another(maximumConnections: 1)
        try await person.withTransaction { connection in
            try await connection.execute("SELECT FROM push.serving FOR UPDATE")
            #expect(try await store.workers.beat(store.queue.worker, doing: "", reports: reports).mine?.beats == 2)
        }
        await person.close()
    }

    /// Older and newer builds of workers beat side by side; what only the newer one measures is null for the older one.
    @Test func aWorkerReportsHowLongAnswersTook() async throws {
        let store = try await StoreFixture.make()
        let me = store.queue.worker
        let report = HubReport(hub: store.hub, rate: 3, latency: .init(p50: 12, p95: 40, p99: 175))
        #expect(try await store.workers.beat(me, doing: "", reports: [report]).mine?.beats == 1)
        let monitor = try await store.test.login(as: "push_monitor")
        let view: SQL = """
            SELECT concat_ws(' ', hub, name, answers_per_second, milliseconds_p50, milliseconds_p95, milliseconds_p99, alive)
              FROM push.hub_workers
            """
        #expect(try await monitor.texts(view) == ["news host/1 3 12 40 175 t"])
        let beats = try await store.test.number(
            """
            SELECT beats FROM push_worker.heartbeat_v1(
                \(me.number), \(me.epoch), NULL, '', ARRAY[\(store.hub)], '{primary}', '{f}', '{NULL}', '{0}', '{1}', '{0}', '{3}',
                '{NULL}')
            """)
        #expect(beats == 2)
        #expect(try await monitor.texts(view) == ["news host/1 3 t"])
    }

    // MARK: - After a fail-over

    @Test func aReplacedServerTakesNoHeartbeatBeforeTheWorkerRegistersAnew() async throws {
        let store = try await StoreFixture.make()
        let other = try await store.another()
        try await store.insert()
        let claim = try #require(try await store.claim())
        // As if the server had been promoted since they registered.
        try await store.database.execute("UPDATE push.timeline SET timeline = '00000000'")
        try await store.database.execute("UPDATE push.worker SET timeline = '00000000'")
        for worker in [store.queue.worker, other.worker] {
            let error = await #expect(throws: DatabaseError.self) { try await store.workers.beat(worker, doing: "") }
            #expect(error?.is(.serverReplaced) == true)
        }
        let anew = try await store.workers.register(name: "host/1", version: "test").id
        #expect(anew.number >= 1000)
        #expect(try await store.workers.beat(anew, doing: "").others.count == 2)
        // That another worker moved the numbers on does not make an old one new.
        let error = await #expect(throws: DatabaseError.self) { try await store.workers.beat(other.worker, doing: "") }
        #expect(error?.is(.serverReplaced) == true)
        let next = try await store.insert()
        let after = try #require(try await store.claim(by: Queue(database: store.database, worker: anew)))
        #expect(after.id > claim.id + 10_000_000)
        #expect(after.messages.map(\.id) == next)
        // It may still say what became of its old claims, and sign off.
        try await store.complete(left: [
            .init(claim: claim.id, message: claim.messages[0].id, outcome: MessageOutcome(.expired, .expired))
        ])
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.status(claim.messages[0].id) == "expired")
        #expect(try await store.lost() == [])
    }

    /// The new server has the claim and lost the intent of its post. Whom the post carried is not known there, so the claim
    /// must stay for rescue.
    @Test func anAnswerToAPostThatWasLostLosesNoMessage() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        try await store.database.execute("DELETE FROM push.post")
        try await store.database.execute("UPDATE push.timeline SET timeline = '00000000'")
        var completion = Completion()
        completion.answered = [.retrying(claim.post(1))]
        completion.answered[0].messages = ids
        completion.finished = [claim.id]
        _ = try await store.queue.complete(completion)
        #expect(try await store.workers.rescue(store.queue.worker).returned == 2)
        for id in ids { #expect(try await store.status(id) == "due") }
        #expect(try await store.lost() == [])
    }

    // MARK: - Cost

    /// While a snapshot is held, rows of claims that ended stay in the table and in its index.
    @Test func claimsThatEndedLongAgoCostNothing() async throws {
        let store = try await StoreFixture.make()
        let other = try await store.another()
        let id = try await store.insert()[0]
        let me = store.queue.worker
        func beat(_ from: Int64) -> String {
            """
            SELECT * FROM push_worker.heartbeat_v1(\(me.number), \(me.epoch), \(from), '', '{}', '{}', '{}', '{}', '{}', '{}', '{}',
                                            '{}', '{}')
            """
        }
        let looks = [
            "SELECT * FROM push.rescue(\(other.worker.number), force => true)",
            "SELECT push.cancel(\(id))",
            "SELECT * FROM push.message_status WHERE id = \(id)",
        ]
        let reader = store.test.another(maximumConnections: 1)
        try await reader.withConnection { person in
            try await person.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            try await person.execute("SELECT FROM push.hub")
            var before: [Int] = []
            for look in [beat(1)] + looks { before.append(try await store.pages(of: "\(raw: look)")) }
            try await store.database.execute(
                """
                INSERT INTO push.claim (id, worker, epoch, hub, priority, ids, attempts)
                SELECT nextval('push.claim_id'), \(other.worker.number), \(other.worker.epoch), \(store.hub), 1, '{1}', '{0}'
                  FROM generate_series(1, 200000)
                """)
            try await store.database.execute("DELETE FROM push.claim")
            let scan = try await store.pages(of: "\(raw: beat(1))")
            #expect(scan > before[0] + 1000, "this test would not notice a scan: \(scan) after \(before[0])")
            let newest = try await store.workers.beat(me, doing: "").newestClaim
            for worker in [me, other.worker] {
                _ = try await store.workers.beat(worker, lowestClaim: newest, doing: "")
            }
            for (look, before) in zip([beat(newest)] + looks, before) {
                let now = try await store.pages(of: "\(raw: look)")
                #expect(now <= before * 3 / 2 + 10, "\(look): \(now) pages, before \(before)")
            }
            try await person.execute("COMMIT")
        }
        await reader.close()
    }
}
