import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// `push.lost` is empty while the invariant holds, and names each message that breaks it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LostViewTests {
    @Test(
        arguments: [
            ("DELETE FROM push.due", "is nowhere"),
            ("DELETE FROM push.claim", "is nowhere"),
            (
                "SET session_replication_role = replica; DELETE FROM push.message WHERE id > 1; SET session_replication_role = origin",
                "is pending or held, and has no row in push.message"
            ),
            ("INSERT INTO push.due SELECT * FROM push.due", "is pending or held more than once"),
            (
                "INSERT INTO push.result (id, status, reason) SELECT id, 'accepted', 'taken_by_hub' FROM push.due",
                "has a final result and is still pending or held"
            ),
            ("DELETE FROM push.result", "is nowhere"),
            ("DELETE FROM push.translation WHERE id = (SELECT max(id) FROM push.translation)", "is nowhere"),
            (
                "INSERT INTO push.result (id, post, status, reason) SELECT id, 990001, 'accepted', 'taken_by_hub' FROM push.result WHERE status = 'accepted'",
                "was accepted more than once"
            ),
        ]) func damageIsNamed(_ damage: String, _ problem: String) async throws
    {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let done = try #require(try await store.claim(1))
        try await store.intend([[ids[0]]], under: done.id)
        try await store.complete([.accepted(done.post(1))], finished: [done.id])
        _ = try #require(try await store.claim(1))
        _ = try await store.translate(["en", "fr"])
        #expect(try await store.lost() == [])
        try await store.database.script(damage)
        let lost = try await store.lost()
        #expect(!lost.isEmpty)
        #expect(lost.allSatisfy { $0.hasSuffix(problem) }, "\(lost)")
    }
}
