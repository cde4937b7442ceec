import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// The numbers of a run are those of its messages, whoever is in the middle of something. Found by
/// `bin/chaos --campaign --steer`.
@Suite struct SliceCountTests {
    /// A run of five messages, none of them claimed.
    private func five() async throws -> (store: StoreFixture, campaigns: CampaignStore, runs: Runs) {
        let store = try await StoreFixture.make()
        try await store.database.script(
            """
            SELECT push.make_list('beta');
            INSERT INTO push.list_member (list, key, tag) SELECT 1, n::text, 'user:' || n FROM generate_series(1, 5) n;
            """)
        let (campaigns, runs) = (CampaignStore(database: store.database), Runs(database: store.database))
        _ = try await campaigns.create(
            "x", spec: #"{"hubs": ["news"], "audience": {"list": "beta"}, "content": {"": {"a": "b"}}}"#, draft: false)
        _ = try await campaigns.start("x", key: "k")
        _ = try await runs.expand(1, upTo: 1_000)
        return (store, campaigns, runs)
    }

    /// While one worker is about to take the first message of a slice, another one takes those behind it: they were shown as
    /// pending.
    @Test func messagesTakenPastALockedOneAreUnderWay() async throws {
        let (store, campaigns, _) = try await five()
        try await store.database.withTransaction { other in
            try await other.execute("SELECT FROM push.due ORDER BY due_at, id LIMIT 1 FOR UPDATE")
            let claim = try await store.queue.claim(hub: store.hub, priority: .bulk, after: .start, limit: 2)
            #expect(claim?.messages.count == 2)
            let run = try await campaigns.progress("x", key: "k").first
            #expect(run?.pending == 3)
            #expect(run?.underWay == 2)
        }
        await store.database.close()
    }

    /// A doubt is decided in a transaction that is still open when the slice is counted: the doubt was counted for good.
    @Test func aDoubtDecidedBesideALookIsCountedAsDecided() async throws {
        let (store, campaigns, runs) = try await five()
        let claim = try #require(
            try await store.queue.claim(hub: store.hub, priority: .bulk, after: .start, limit: 5))
        try await store.intend(claim.messages.map { [$0.id] }, under: claim.id)
        _ = try await store.workers.rescue(claims: [claim.id])
        let doubt = claim.messages[0].id
        try await store.database.withTransaction { person in
            try await person.execute("SELECT push.resolve(ARRAY[\(doubt)], 'accepted')")
            try await runs.lookAfter()
            #expect(try await campaigns.progress("x", key: "k").first?.inDoubt == 5)
        }
        try await runs.lookAfter()
        let run = try await campaigns.progress("x", key: "k").first
        #expect(run?.accepted == 1)
        #expect(run?.inDoubt == 4)
        #expect(run?.state == .done)
        await store.database.close()
    }
}
