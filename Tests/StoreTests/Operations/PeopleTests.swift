import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Hubs, workers, backlog, overview and lists as the commands read them.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PeopleTests {
    @Test func aHubIsWrittenOnceAndAgainOnlyWhenItChanged() async throws {
        let test = try await TestDatabase.make()
        let hubs = Hubs(database: test.database)
        var hub = TestWorker.news
        let first = try await hubs.register(hub)
        let row = try await test.texts("SELECT ctid::text FROM push.hub")
        #expect(try await hubs.register(hub) == first)
        #expect(try await test.texts("SELECT ctid::text FROM push.hub") == row)
        hub.allowBroadcast = true
        hub.expireAfterSeconds = 60
        #expect(try await hubs.register(hub) == first)
        #expect(
            try await test.texts(
                "SELECT allow_broadcast || ' ' || expire_after || ' ' || array_to_string(languages, ',') || ' ' || fallback FROM push.hub"
            )
                == ["true 00:01:00 en,fr,zh-Hans en"])
        #expect(try await hubs.register(HubSettings(name: "other")) != first)
        #expect(
            try await hubs.states().map(\.hub).sorted()
                == test.texts("SELECT id::text FROM push.hub ORDER BY id").compactMap(Int16.init))
    }

    @Test func aHubsNameIsCheckedByTheTable() async throws {
        let test = try await TestDatabase.make()
        let error = await #expect(throws: DatabaseError.self) {
            try await Hubs(database: test.database).register(HubSettings(name: "No Name"))
        }
        #expect(error?.constraint == "name_is_short_and_plain")
    }

    @Test func aGateIsNeverShortenedAndOpensByItself() async throws {
        let bench = try await Bench.make()
        let hubs = Hubs(database: bench.database)
        #expect(try await hubs.states() == [Hubs.State(hub: bench.hub)])
        try await hubs.closeGate(bench.hub, seconds: 600)
        try await hubs.closeGate(bench.hub, seconds: 1)
        let gate = try #require(try await hubs.states().first?.gate)
        #expect(gate > 500 && gate <= 600)
        #expect(try await SystemStatus.read(from: bench.database).hubs.map(\.state) == ["gate closed"])
        try await bench.database.execute("UPDATE push.hub_state SET gate_until = now() - interval '1 s'")
        #expect(try await SystemStatus.read(from: bench.database).hubs.map(\.state) == ["open"])
    }

    @Test func aHeldHubIsProbedByOneWorkerAtATimeAndReleased() async throws {
        let bench = try await Bench.make()
        let hubs = Hubs(database: bench.database)
        #expect(try await hubs.takeProbe(bench.hub, next: 60) == false)
        try await hubs.hold(bench.hub, because: "401 wrong key", probeAfter: 0)
        let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 1...4 { group.addTask { try await hubs.takeProbe(bench.hub, next: 60) } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(taken == 1)
        let state = try #require(try await hubs.states().first)
        #expect(state.hold == "401 wrong key")
        #expect((state.probe ?? 0) > 50)
        #expect(try await SystemStatus.read(from: bench.database).hubs.map(\.why) == ["401 wrong key"])
        try await hubs.release(bench.hub)
        #expect(try await hubs.states() == [Hubs.State(hub: bench.hub)])
    }

    @Test func aPersonPausesAndResumesAHub() async throws {
        let bench = try await Bench.make()
        try await bench.database.execute("SELECT push.pause_hub('news')")
        #expect(try await Hubs(database: bench.database).states().map(\.pausedBy) == ["postgres"])
        #expect(try await SystemStatus.read(from: bench.database).hubs.map(\.state) == ["paused"])
        try await bench.database.execute("SELECT push.resume_hub('news')")
        #expect(try await Hubs(database: bench.database).states() == [Hubs.State(hub: bench.hub)])
        #expect(try await bench.test.texts("SELECT action FROM push.audit ORDER BY id") == ["pause_hub", "resume_hub"])
        let error = await #expect(throws: DatabaseError.self) {
            try await bench.database.execute("SELECT push.pause_hub('nowhere')")
        }
        #expect(error?.sqlState == "P0002")
    }

    @Test func heartbeatsGrowAndShowEveryWorker() async throws {
        let bench = try await Bench.make()
        let other = try await bench.another()
        try await bench.insert()
        let claim = try #require(try await bench.claim())
        let first = try await bench.workers.beat(bench.queue.worker, doing: "posting")
        let second = try await bench.workers.beat(bench.queue.worker, doing: "posting")
        let mine = try #require(second.first { $0.id == bench.queue.worker })
        #expect(mine.beats == (first.first { $0.id == bench.queue.worker }?.beats ?? 0) + 1)
        #expect(mine.claims == [claim.id])
        #expect(second.first { $0.id == other.worker } == Workers.Seen(id: other.worker, beats: 0, claims: []))
        let shown = try #require(try await SystemStatus.read(from: bench.database).workers.first)
        #expect(shown.doing == "posting")
        #expect(shown.claims == 1)
        #expect(shown.messages == 1)
        #expect(try await bench.workers.rescue(other.worker) == Workers.Rescued())
        #expect(try await bench.workers.beat(bench.queue.worker, doing: "").map(\.id) == [bench.queue.worker])
    }

    @Test func theBacklogCountsWhatADrainHasToWaitFor() async throws {
        let bench = try await Bench.make()
        #expect(try await Backlog.count(in: bench.database, hubs: ["news"], within: 60) == 0)
        #expect(try await Backlog.next(in: bench.database, hubs: ["news"], within: 60) == nil)
        let ids = try await bench.insert(2)
        try await bench.database.execute(
            "INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'a', '{}', clock_timestamp() + interval '30 s')"
        )
        // what is scheduled and was never tried does not count
        #expect(try await Backlog.count(in: bench.database, hubs: ["news"], within: 60) == 2)
        #expect(try #require(try await Backlog.next(in: bench.database, hubs: ["news"], within: 60)) < 0)
        #expect(try await Backlog.count(in: bench.database, hubs: ["other"], within: 60) == 0)
        #expect(try await Backlog.next(in: bench.database, hubs: ["other"], within: 60) == nil)

        let claim = try #require(try await bench.claim())
        try await bench.intend([[ids[0]]], under: claim.id)
        try await bench.complete(
            [.retrying(claim.post(1), after: 30)],
            left: [.init(claim: claim.id, message: ids[1], outcome: .retrying(.released, after: 30, cost: 0))],
            finished: [claim.id])
        #expect(try await Backlog.count(in: bench.database, hubs: ["news"], within: 60) == 2)
        #expect(try #require(try await Backlog.next(in: bench.database, hubs: ["news"], within: 60)) > 20)
        #expect(try await Backlog.count(in: bench.database, hubs: ["news"], within: 1) == 0)
        #expect(try await Backlog.next(in: bench.database, hubs: ["news"], within: 1) == nil)
        let shown = try #require(try await SystemStatus.read(from: bench.database).hubs.first)
        #expect(shown.due == 0)
        #expect(shown.later == 3)
    }

    @Test func theOverviewShowsHubsWorkersAndTheLastHour() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(3)
        let claim = try #require(try await bench.claim(2))
        try await bench.intend([[ids[0]], [ids[1]]], under: claim.id)
        try await bench.complete([.accepted(claim.post(1))])
        _ = try await bench.workers.rescue(bench.queue.worker)
        let overview = try await SystemStatus.read(from: bench.database)
        #expect(overview.hubs.map(\.hub) == ["news"])
        #expect(overview.hubs.map(\.due) == [1])
        #expect((overview.hubs.first?.waiting ?? 0) > 50)
        #expect(overview.hubs.map(\.worker) == ["no worker serves this hub"])
        #expect(overview.workers == [])
        #expect(overview.inDoubt == 1)
        #expect(
            overview.lastHour == [
                SystemStatus.Count(hub: "news", status: "accepted", reason: "taken_by_hub", messages: 1),
                SystemStatus.Count(hub: "news", status: "in_doubt", reason: "worker_lost", messages: 1),
            ])
    }

    @Test func messagesAreListedNewestFirstAndFiltered() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.insert(3)
        var message = NewMessage(hub: "news", tag: "a", content: "{}")
        message.campaign = "spring"
        let spring = try await bench.messages.enqueue([message])[0].id
        #expect(try await bench.messages.cancel(ids[1]) == "cancelled")
        #expect(
            try await bench.messages.list(hub: nil, status: nil, campaign: nil, limit: 2).map(\.id) == [spring, ids[2]])
        #expect(
            try await bench.messages.list(hub: "news", status: "cancelled", campaign: nil, limit: 9).map(\.id) == [
                ids[1]
            ])
        #expect(
            try await bench.messages.list(hub: "news", status: nil, campaign: "spring", limit: 9).map(\.id) == [spring])
        #expect(try await bench.messages.list(hub: "other", status: nil, campaign: nil, limit: 9) == [])
        #expect(try await bench.messages.status(of: 4711) == nil)
    }
}
