import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// What a pulse says of campaigns, of devices and of snapshots.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PulseOfRunsTests {
    /// A campaign to a list of 30. At most a tenth of its results may be rejected.
    private static func campaign(_ name: String, in store: StoreFixture, to recipients: Int = 30) async throws {
        try await store.database.script(
            """
            SELECT push.make_list('\(name)');
            INSERT INTO push.list_member (list, key, tag)
            SELECT l.id, lpad(n::text, 3, '0'), 'u:' || n FROM push.list l, generate_series(1, \(recipients)) n
             WHERE l.name = '\(name)';
            """)
        _ = try await CampaignStore(database: store.database).create(
            name,
            spec: #"{"hubs": ["news"], "audience": {"list": "\#(name)"}, "content": {"en": {"a": "b"}}, "#
                + #""stopWhen": {"rejected": 0.1, "least": 5}}"#, draft: false)
    }

    /// Starts a run and makes messages of this many recipients.
    ///
    /// - Returns: its stream.
    @discardableResult
    private static func start(
        _ name: String, _ key: String, _ recipients: Int = 10, in store: StoreFixture
    ) async throws -> Int64 {
        _ = try await CampaignStore(database: store.database).start(name, key: key)
        let runs = Runs(database: store.database)
        let stream = try await store.test.number("SELECT max(id) FROM push.stream")
        if recipients > 0 { _ = try await runs.expand(stream, upTo: recipients) }
        return stream
    }

    /// Gives the messages of a run these final results, the oldest first, as workers do.
    private static func end(_ key: String, _ results: [(String, String, Int)], in store: StoreFixture) async throws {
        let ids = try await store.test.texts("SELECT id::text FROM push.message WHERE run = \(key) ORDER BY id")
            .compactMap(Int64.init)
        var next = 0
        for (status, reason, n) in results {
            try await store.database.execute(
                """
                WITH ended AS (DELETE FROM push.due WHERE id = ANY (\(Array(ids[next..<next + n]))) RETURNING id)
                INSERT INTO push.result (id, post, status, reason)
                SELECT e.id, 10000, \(status)::push.status, \(reason)::push.reason FROM ended e
                """)
            next += n
        }
    }

    private static func shown(_ run: DatabasePulse.Run) -> String {
        let counts = run.messages?.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return "\(run.campaign) \(run.run): \(run.state), \(counts?.joined(separator: ", ") ?? "not counted")"
    }

    @Test func everyRunThatHasNotEndedIsToldWithItsMessages() async throws {
        let store = try await StoreFixture.make()
        let campaigns = CampaignStore(database: store.database)
        let runs = Runs(database: store.database)
        for name in ["spring", "summer"] { try await Self.campaign(name, in: store) }
        try await Self.campaign("nobody", in: store, to: 0)
        let news = try await Self.start("spring", "news \"1\"\n", in: store)
        try await Self.end(
            "news \"1\"\n",
            [("accepted", "taken_by_hub", 8), ("rejected", "bad_request", 1), ("in_doubt", "worker_lost", 1)], in: store
        )
        try await runs.lookAfter()
        _ = try await runs.expand(news, upTo: 5)
        try await Self.start("spring", "by a person", in: store)
        _ = try await campaigns.steer("spring", key: nil, .pause(reason: "stopped itself: no"), after: nil)
        try await Self.start("summer", "too many rejected", in: store)
        try await Self.end(
            "too many rejected", [("accepted", "taken_by_hub", 5), ("rejected", "bad_request", 5)], in: store)
        try await runs.lookAfter()
        let unread = try await Self.start("summer", "no view", in: store)
        #expect(
            try await runs.stop(unread, event: "audience_fails", because: "its audience cannot be read: it is gone"))
        try await Self.start("summer", "cancelling", in: store)
        _ = try await campaigns.steer("summer", key: nil, .cancel, after: nil)
        try await Self.start("summer", "later", 0, in: store)
        try await store.database.execute("UPDATE push.run SET state = 'waiting' WHERE key = 'later'")
        try await Self.start("nobody", "ends at once", in: store)
        let before = try await DatabasePulse.take(from: store.database)
        #expect(before.runs.contains { $0.run == "ends at once" } && before.runs.contains { $0.run == "cancelling" })
        // A look ends where it stopped messages of a run; the next one goes on.
        for _ in 1...5 { try await runs.lookAfter() }

        let pulse = try await DatabasePulse.take(from: store.database)
        #expect(
            Set(pulse.runs.map(Self.shown)) == [
                "spring news \"1\"\n: running, accepted 8, in_doubt 1, open 5, rejected 1",
                "spring by a person: paused, open 10",
                "summer too many rejected: paused, accepted 5, open 0, rejected 5", "summer no view: paused, open 10",
                "summer later: waiting, open 0",
            ])
        #expect(before.runs.first { $0.run == "cancelling" }?.state == "cancelling")
        #expect(pulse.runsOmitted == 0 && pulse.runsPausedByThemselves == 2)
    }

    @Test func theNewestHundredAreToldAndTheOthersCounted() async throws {
        let store = try await StoreFixture.make()
        try await Self.campaign("spring", in: store)
        try await store.database.execute("SELECT push.start_run('spring', 'k' || g) FROM generate_series(1, 103) g")
        let pulse = try await DatabasePulse.take(from: store.database)
        #expect(Set(pulse.runs.map(\.run)) == Set((4...103).map { "k\($0)" }))
        #expect(pulse.runs.allSatisfy { $0.messages == ["open": 0] } && pulse.runsOmitted == 3)

        // Counting these would take long: they are left out, and the small ones are not.
        try await store.database.execute(
            """
            UPDATE push.stream t SET slices = 7000 FROM push.run r
             WHERE r.id = t.run AND r.key IN ('k50', 'k60')
            """)
        let next = try await DatabasePulse.take(from: store.database)
        #expect(next.runs.count == 100 && next.runs.filter { $0.messages == nil }.map(\.run) == ["k60"])
        #expect(next.runsOmitted == 4)

        try await store.database.execute("UPDATE push.run SET state = 'done', ended_at = now(), closed_at = now()")
        let last = try await DatabasePulse.take(from: store.database)
        #expect(last.runs == [] && last.runsOmitted == 0 && last.runsPausedByThemselves == 0)
    }

    @Test func changesOfDevicesAreCountedByHubUpToTenThousand() async throws {
        let store = try await StoreFixture.make()
        #expect(try await DatabasePulse.take(from: store.database).devices == [])
        let other = try await Hubs(database: store.database).register(HubSettings(name: "other", hub: "h"))
        for device in ["a", "b", "c"] { try await store.put(device) }
        try await store.finish(try await store.take(1))
        try await store.database.execute(
            """
            INSERT INTO push.installation_due (due_at, id, hub, device)
            SELECT now() + interval '1 h', g, \(other), 'd' || g FROM generate_series(1, 10001) g
            """)
        let devices = try await DatabasePulse.take(from: store.database).devices.sorted { $0.hub < $1.hub }
        #expect(
            devices == [
                .init(hub: "news", waiting: 2, more: false), .init(hub: "other", waiting: 10_000, more: true),
            ])
    }

    @Test func theAgeOfTheOldestSnapshotIsTold() async throws {
        let store = try await StoreFixture.make()
        let holder = store.test.another(maximumConnections: 1)
        let held = try await holder.withTransaction { connection in
            try await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            try await connection.execute("SELECT FROM push.hub")
            var held = 0.0
            try await Awaited.until("a snapshot that is a second old") {
                held = try await DatabasePulse.take(from: store.database).snapshotHeld
                return (held, held >= 1)
            }
            return held
        }
        await holder.close()
        #expect((1...60).contains(held), "\(held)")
        let after = try await DatabasePulse.take(from: store.database).snapshotHeld
        #expect(after < held)
    }
}
