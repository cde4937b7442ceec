import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Hubs in the database: settings, gates, holds and pauses.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HubsTests {
    @Test func aHubIsWrittenOnlyWhenItChanged() async throws {
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
        #expect(try await test.number("SELECT count(*) FROM push.hub_state JOIN push.hub ON id = hub") == 2)
    }

    /// A worker reads them twice a second, and may have thousands of hubs.
    @Test func onlyHubsWithSomethingToSayAreRead() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        #expect(try await hubs.states() == [])
        let told = [
            "gate_until = now() + interval '1 minute'", "gate_until = now() - interval '1 minute'",
            "held_since = now(), hold_reason = 'x', probe_at = now()", "paused_by = 'ada'", "key = 'secondary'",
            "rate = 0", "broken_until = now() - interval '1 minute'",
            "refused_until = now()",
        ]
        for some in told {
            try await store.database.script("BEGIN; UPDATE push.hub_state SET \(some); COMMIT")
            #expect(try await hubs.states().map(\.hub) == [store.hub], "\(some)")
            try await store.database.script(
                """
                DELETE FROM push.hub_state;
                INSERT INTO push.hub_state (hub) SELECT id FROM push.hub;
                """)
        }
        try await store.database.execute("UPDATE push.hub_pace SET slowed_to = 5, slowed_at = now()")
        #expect(try await hubs.states().map(\.hub) == [store.hub])
        try await store.database.execute("UPDATE push.hub_state SET paced_from = clock_timestamp()")
        #expect(try await hubs.states() == [], "what was learnt before does not count")
    }

    @Test func aHubsNameIsCheckedByTheTable() async throws {
        let test = try await TestDatabase.make()
        let error = await #expect(throws: DatabaseError.self) {
            try await Hubs(database: test.database).register(HubSettings(name: "No Name"))
        }
        #expect(error?.constraint == "name_is_short_and_plain")
    }

    @Test func aGateIsNeverShortenedAndOpensByItself() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        #expect(try await hubs.states() == [])
        try await hubs.closeGate(store.hub, seconds: 600)
        try await hubs.closeGate(store.hub, seconds: 1)
        let gate = try #require(try await hubs.states().first?.gate)
        #expect(gate > 500 && gate <= 600)
        #expect(try await SystemStatus.read(from: store.database).hubs.map(\.state) == ["gate closed"])
        try await store.database.execute("UPDATE push.hub_state SET gate_until = now() - interval '1 s'")
        #expect(try await SystemStatus.read(from: store.database).hubs.map(\.state) == ["open"])
    }

    /// A Retry-After of a day, such as a wrong date of a proxy.
    @Test func aGateClosesForAnHourAtMost() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        try await hubs.closeGate(store.hub, seconds: 86_400)
        let gate = try #require(try await hubs.states().first?.gate)
        #expect(gate > 3590 && gate <= 3600)
    }

    /// Set by hand. One bad row must not keep the workers from reading the states of all hubs.
    @Test func anInfiniteTimeIsADayAtMost() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        _ = try await hubs.register(HubSettings(name: "other"))
        try await store.database.execute(
            """
            WITH state AS (
                UPDATE push.hub_state SET gate_until = 'infinity', probe_at = 'infinity', broken_until = '-infinity'
                 WHERE hub = \(store.hub))
            UPDATE push.hub_pace SET slowed_at = 'infinity', slowed_to = 5, tokens_at = '-infinity' WHERE hub = \(store.hub)
            """)
        let states = try await hubs.states()
        #expect(states.map(\.hub) == [store.hub])
        let state = try #require(states.first)
        #expect(state.gate == 86_400)
        #expect(state.probe == 86_400)
        #expect(state.broken == -86_400)
        #expect(try await SystemStatus.read(from: store.database).hubs.map(\.state) == ["gate closed", "open"])
        #expect(try await hubs.takeTokens(store.hub, configured: 5, wanted: 3).granted >= 0)
        #expect(try await Estimate.read(from: store.database, hub: nil, campaign: nil).count == 2)
    }

    @Test func aHeldHubIsProbedByOneWorkerAtATime() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        #expect(try await hubs.takeProbe(store.hub, next: 60) == false)
        try await hubs.hold(store.hub, because: "401 wrong key", probeAfter: 0)
        let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 1...4 { group.addTask { try await hubs.takeProbe(store.hub, next: 60) } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(taken == 1)
        let state = try #require(try await hubs.states().first)
        #expect(state.hold == "401 wrong key")
        #expect((state.probe ?? 0) > 50)
        #expect(try await SystemStatus.read(from: store.database).hubs.map(\.why) == ["401 wrong key"])
        try await hubs.release(store.hub)
        #expect(try await hubs.states() == [Hubs.State(hub: store.hub, hasRefused: true)])
        #expect(try await hubs.returnRefused(store.hub, within: 60, after: nil) == (0, nil))
        #expect(try await hubs.states() == [])
    }

    @Test func aPersonPausesAndResumesAHub() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("SELECT push.pause_hub('news')")
        #expect(try await Hubs(database: store.database).states().map(\.pausedBy) == ["postgres"])
        #expect(try await SystemStatus.read(from: store.database).hubs.map(\.state) == ["paused"])
        try await store.database.execute("SELECT push.resume_hub('news')")
        #expect(try await Hubs(database: store.database).states() == [])
        #expect(try await store.test.texts("SELECT action FROM push.audit ORDER BY id") == ["pause_hub", "resume_hub"])
        try await Hubs(database: store.database).pause("news", because: " new key ")
        #expect(
            try await store.test.texts(
                """
                SELECT why FROM push.hub_health UNION ALL SELECT why FROM push.device_backlog
                UNION ALL SELECT detail ->> 'reason' FROM (SELECT * FROM push.audit ORDER BY id DESC LIMIT 1) a
                """) == ["paused by postgres: new key", "paused by postgres: new key", "new key"])
        try await store.database.execute("SELECT push.pause_hub('news')")
        #expect(try await store.test.texts("SELECT why FROM push.hub_health") == ["paused by postgres"])
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT push.pause_hub('nowhere')")
        }
        #expect(error?.sqlState == "P0002")
    }
}
