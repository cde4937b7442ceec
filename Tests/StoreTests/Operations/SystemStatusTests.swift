import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// The views that show the state of hubs, workers and results.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SystemStatusTests {
    @Test func theStatusShowsHubsWorkersAndTheLastHour() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let claim = try #require(try await store.claim(2))
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        try await store.complete([.accepted(claim.post(1))])
        _ = try await store.workers.rescue(store.queue.worker)
        let overview = try await SystemStatus.read(from: store.database)
        #expect(overview.hubs.map(\.hub) == ["news"])
        #expect(overview.hubs.map(\.due) == [1])
        #expect((overview.hubs.first?.waiting ?? 0) > 50)
        #expect(overview.hubs.map(\.workers) == [0])
        #expect(overview.hubs.first?.note?.hasPrefix("no worker serves this hub since 20") == true)
        #expect(overview.workers == [])
        #expect(overview.inDoubt == 1)
        #expect(
            overview.lastHour == [
                SystemStatus.Count(hub: "news", status: "accepted", reason: "taken_by_hub", results: 1),
                SystemStatus.Count(hub: "news", status: "in_doubt", reason: "worker_lost", results: 1),
            ])
        // What a person decided is in doubt no more.
        try await store.database.execute("SELECT push.resolve(ARRAY(SELECT id FROM push.in_doubt), 'accepted')")
        #expect(
            try await SystemStatus.read(from: store.database).lastHour.map { "\($0.status) \($0.reason) \($0.results)" }
                == [
                    "accepted resolved 1", "accepted taken_by_hub 1",
                ])
    }

    @Test func failuresAreListedNewestFirst() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        try await store.complete(
            [.rejected(claim.post(1)), .accepted(claim.post(2))],
            left: [
                .init(claim: claim.id, message: ids[2], outcome: MessageOutcome(.expired, .expired, note: "too old"))
            ],
            finished: [claim.id])
        #expect(
            try await store.test.texts(
                "SELECT concat_ws(' ', id, status, reason, class, http, note) FROM push.recent_failures")
                == ["\(ids[2]) expired expired policy too old", "\(ids[0]) rejected bad_request content 400"])
        #expect(try await store.test.number("SELECT messages FROM push.throughput WHERE status = 'rejected'") == 1)
        try await store.database.execute("UPDATE push.result SET at = at - interval '2 days'")
        #expect(try await store.test.number("SELECT count(*) FROM push.recent_failures") == 0)
    }

    @Test func healthShowsTheWorkersOfAHub() async throws {
        let store = try await StoreFixture.make()
        let other = try await store.another()
        for (worker, key, window, skew) in [
            (store.queue.worker, "primary", 8, 1.0), (other.worker, "secondary", 4, -90.0),
        ] {
            try await store.database.execute(
                """
                INSERT INTO push.serving (worker, hub, key, has_secondary, token_expires_at, signings, "window", in_flight, rate, skew_seconds)
                VALUES (\(worker.number), \(store.hub), \(key), true, timestamptz '2099-01-01 UTC' + \(Int32(window)) * interval '1 minute', 1, \(Int32(window)), 3, 10.5, \(skew))
                """)
        }
        let shown: SQL = """
            SELECT concat_ws(' ', workers, coalesce(note, '-'), "window", in_flight, answers_per_second, skew_seconds,
                             extract(epoch FROM token_expires_at - timestamptz '2099-01-01 UTC')::int / 60) FROM push.hub_health
            """
        #expect(try await store.test.texts(shown) == ["2 - 12 6 21 -90 4"])
        try await store.database.execute(
            "UPDATE push.worker SET beat_at = beat_at - interval '1 minute' WHERE id = \(other.worker.number)")
        #expect(try await store.test.texts(shown) == ["1 - 8 3 10.5 1 8"])
        try await store.database.execute("UPDATE push.worker SET beat_at = beat_at - interval '1 minute'")
        #expect(try await store.test.number("SELECT workers FROM push.hub_health") == 0)
    }
}
