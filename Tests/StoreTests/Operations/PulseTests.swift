import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// What is pending, in doubt and alive, in one look that costs the same however much that is.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PulseTests {
    /// Pointers without messages: a look at what is pending reads nothing else.
    private static func point(_ store: StoreFixture, _ n: Int, hub: Int32, priority: Int, at: SQL) async throws {
        try await store.database.execute(
            """
            INSERT INTO push.due (due_at, id, hub, priority)
            SELECT \(raw: at.text), g, \(hub), \(Int16(priority)) FROM generate_series(1, \(n)) g
            """)
    }

    private static func share(
        _ store: StoreFixture, by worker: WorkerID? = nil, every: Double = 15, within seconds: Double = 30
    ) async throws -> Workers.SharedPulse? {
        try await store.workers.sharePulse(worker ?? store.queue.worker, every: every, within: seconds)
    }

    @Test func itShowsWhatIsPendingInDoubtAndAlive() async throws {
        let store = try await StoreFixture.make()
        let quiet = try await DatabasePulse.take(from: store.database)
        #expect(quiet.hubs == ["news"] && quiet.lanes == [] && quiet.inDoubt == [] && !quiet.moreInDoubt)
        #expect(quiet.workers.alive == 1 && quiet.workers.silent == 0 && quiet.defaultRows == 0)

        let ids = try await store.insert(5)
        let claim = try #require(try await store.claim(2))
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        _ = try await store.workers.rescue(store.queue.worker)
        _ = try await store.doubts.resolve([ids[1]], as: .accepted)
        try await store.database.execute(
            "INSERT INTO push.message (hub, tag, content, priority, send_at) VALUES ('news', 'a', '{}', 0, now() + interval '1 h')"
        )
        try await Self.point(store, 1, hub: store.hub, priority: 2, at: "push.paused_until()")
        let dead = try await store.another()
        try await store.database.execute(
            "UPDATE push.worker SET beat_at = now() - interval '5 min' WHERE id = \(dead.worker.number)")
        try await store.database.execute(
            """
            INSERT INTO push.message_default (hub, tag, content, id) OVERRIDING SYSTEM VALUE
            SELECT 'news', 'a', '{}', 9000000000 + g FROM generate_series(1, 3) g
            """)
        let pulse = try await DatabasePulse.take(from: store.database)
        let lanes = pulse.lanes.map { "\($0.hub) \($0.priority): \($0.due) \($0.later) \($0.moreDue || $0.moreLater)" }
        #expect(Set(lanes) == ["news 0: 0 1 false", "news 1: 3 0 false", "news 2: 0 0 false"])
        let waiting = pulse.lanes.compactMap(\.waiting)
        #expect(waiting.count == 1 && waiting.allSatisfy { (59...120).contains($0) }, "\(waiting)")
        #expect(pulse.inDoubt == [DatabasePulse.Doubts(hub: "news", messages: 1)])
        #expect(pulse.workers.alive == 0 && pulse.workers.silent == 1)
        #expect((299...400).contains(pulse.workers.oldestBeat ?? 0))
        #expect(pulse.defaultRows == 3)
    }

    @Test func aCountStopsAtTenThousandAndSaysSo() async throws {
        let store = try await StoreFixture.make()
        try await Self.point(store, 10_000, hub: store.hub, priority: 0, at: "now()")
        try await Self.point(store, 10_001, hub: store.hub, priority: 1, at: "now()")
        try await Self.point(store, 10_001, hub: store.hub, priority: 1, at: "now() + interval '1 h'")
        let lanes = try await DatabasePulse.take(from: store.database).lanes
        #expect(lanes.map(\.priority) == [0, 1])
        #expect(lanes.map(\.due) == [10_000, 10_000] && lanes.map(\.moreDue) == [false, true])
        #expect(lanes.map(\.later) == [0, 10_000] && lanes.map(\.moreLater) == [false, true])
        #expect(try await store.test.number("SELECT push.backlog_for_scaling('news')") == 10_000)
    }

    /// All lanes full: each is counted less far. One full: it may use what the others leave.
    @Test func manyFullLanesShareWhatIsCounted() async throws {
        let store = try await StoreFixture.make()
        var hubs: [Int32] = []
        for n in 1...20 {
            hubs.append(try await Hubs(database: store.database).register(HubSettings(name: "many_\(n)", hub: "h")))
        }
        for hub in hubs { try await Self.point(store, 10, hub: hub, priority: 1, at: "now()") }
        try await Self.point(store, 10_001, hub: hubs[3], priority: 1, at: "now()")
        let one = try await DatabasePulse.take(from: store.database).lanes
        #expect(one.map(\.due).sorted() == Array(repeating: 10, count: 19) + [10_000])
        #expect(one.filter(\.moreDue).count == 1)

        for hub in hubs { try await Self.point(store, 4_000, hub: hub, priority: 1, at: "now()") }
        let all = try await DatabasePulse.take(from: store.database).lanes
        #expect(all.allSatisfy { $0.moreDue && $0.due >= 1_000 && !$0.moreLater }, "\(all)")
        #expect(all.map(\.due).reduce(0, +) <= 60_000)
    }

    @Test func oneWorkerTakesItAndTheOthersReadIt() async throws {
        let store = try await StoreFixture.make()
        let other = try await store.another()
        try await store.insert(3)
        let first = try #require(try await Self.share(store))
        #expect(first.isNew && first.takenBy == store.queue.worker.number && first.age < 10)
        #expect(first.pulse.lanes.map(\.due) == [3])
        try await store.insert(4)
        let second = try #require(try await Self.share(store, by: other.worker))
        #expect(!second.isNew && second.takenBy == first.takenBy && second.pulse == first.pulse)
        let third = try #require(try await Self.share(store, by: other.worker, every: 0))
        #expect(third.isNew && third.takenBy == other.worker.number && third.pulse.lanes.map(\.due) == [7])
        #expect(try await store.test.number("SELECT count(*) FROM push.pulse WHERE reading IS NOT NULL") == 1)
        // A clock that was set back: nobody waits until it has caught up.
        try await store.database.execute("UPDATE push.pulse SET taken_at = now() + interval '1 h'")
        #expect(try await Self.share(store)?.isNew == true)
    }

    @Test func whileAWorkerTakesItTheOthersGetTheOldOneAtOnce() async throws {
        let store = try await StoreFixture.make()
        #expect(try await Self.share(store)?.isNew == true)
        try await store.database.execute("UPDATE push.pulse SET taken_at = now() - interval '20 s'")
        try await store.database.withTransaction { connection in
            try await connection.execute("SELECT FROM push.pulse FOR NO KEY UPDATE")
            let old = try #require(try await Self.share(store))
            #expect(!old.isNew && old.age >= 20)
        }
        #expect(try await Self.share(store)?.isNew == true)
    }

    /// Whatever holds up a look, it ends in time, and the session is as before.
    @Test func aLookThatTakesTooLongEnds() async throws {
        let store = try await StoreFixture.make()
        let heartbeats = store.test.another(maximumConnections: 1)
        let setting: SQL = "SELECT current_setting('statement_timeout') || current_setting('synchronous_commit')"
        let before = try await heartbeats.query(setting) { rows in try rows.single { row in try row.string() } }
        try await store.database.withTransaction { connection in
            try await connection.execute("LOCK TABLE push.due IN ACCESS EXCLUSIVE MODE")
            let failure = await #expect(throws: DatabaseError.self) {
                try await Workers(database: heartbeats).sharePulse(store.queue.worker, every: 15, within: 0.1)
            }
            #expect(failure?.is(.queryCancelled) == true)
            // The role has no limit of its own, and nobody should look for one.
            #expect(
                failure?.hint?.hasPrefix("it took longer than the 0.1 s that Fanfare gives it") == true,
                "\(failure?.why ?? "")")
        }
        #expect(try await heartbeats.query(setting) { rows in try rows.single { row in try row.string() } } == before)
        let next = try await Workers(database: heartbeats).sharePulse(store.queue.worker, every: 15, within: 30)
        #expect(next?.isNew == true)
        #expect(try await heartbeats.query(setting) { rows in try rows.single { row in try row.string() } } == before)
        await heartbeats.close()
    }

    @Test func workersTakeItMonitorsReadItAndNobodyElse() async throws {
        let store = try await StoreFixture.make()
        for (role, takes, looks, reads) in [
            ("push_worker", true, true, false), ("push_monitor", false, true, true),
            ("push_operator", false, true, true),
            ("push_enqueue", false, false, false),
        ] {
            let login = try await store.test.login(as: role)
            func may(_ sql: SQL) async -> Bool { (try? await login.database.execute(sql)) != nil }
            #expect(await may("SELECT push_worker.take_pulse_v1(1, 15)") == takes, "\(role)")
            #expect(await may("SELECT push.read_pulse()") == looks, "\(role)")
            #expect(await may("SELECT * FROM push.pulse") == reads, "\(role)")
            #expect(await may("SELECT push.backlog_for_scaling()") == reads, "\(role)")
            await login.database.close()
        }
    }

    @Test func aScalerReadsOneNumberOfAHubOrOfAll() async throws {
        let store = try await StoreFixture.make()
        let other = try await Hubs(database: store.database).register(HubSettings(name: "other", hub: "h"))
        try await Self.point(store, 3, hub: store.hub, priority: 0, at: "now()")
        try await Self.point(store, 4, hub: store.hub, priority: 2, at: "now()")
        try await Self.point(store, 5, hub: store.hub, priority: 1, at: "now() + interval '1 h'")
        try await Self.point(store, 6, hub: other, priority: 1, at: "now()")
        #expect(try await store.test.number("SELECT push.backlog_for_scaling('news')") == 7)
        #expect(try await store.test.number("SELECT push.backlog_for_scaling('other')") == 6)
        #expect(try await store.test.number("SELECT push.backlog_for_scaling()") == 13)
        let unknown = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT push.backlog_for_scaling('nwes')")
        }
        #expect(unknown?.sqlState?.hasPrefix("P0002") == true)
    }
}
