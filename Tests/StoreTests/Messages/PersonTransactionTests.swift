import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// A person who leaves a transaction open after one of these calls holds rows that workers need: the server ends such a
/// session after a minute.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PersonTransactionTests {
    @Test(arguments: [
        "SELECT push.cancel(1)", "SELECT push.cancel_campaign('spring')", "SELECT push.cancel_hub('news')",
        "SELECT push.retry('{1}')", "SELECT push.retry_failed('news')", "SELECT push.resolve('{1}', 'accepted')",
        "SELECT push.resolve_doubts('news', 'accepted')", "SELECT push.erase('{1}')", "SELECT push.pause_hub('news')",
        "SELECT push.resume_hub('news')", "SELECT push.open_gate('news')", "SELECT push.set_rate('news', 1)",
        "SELECT push.rotate_hub('news')", "SELECT push.add_hub('other')", "SELECT push.rescue(1, force => true)",
        "SELECT push.cancel_devices('news')",
    ]) func itEndsByItself(_ call: String) async throws {
        let store = try await StoreFixture.make()
        try await store.insert()
        _ = try await store.workers.beat(
            store.queue.worker, doing: "", reports: [HubReport(hub: store.hub, hasSecondary: true)])
        for (before, after) in [("0", "1min"), ("5min", "1min"), ("10s", "10s")] {
            let seen = try await store.database.withConnection { person in
                try await person.execute("SET idle_in_transaction_session_timeout = '\(raw: before)'")
                try await person.execute("BEGIN")
                try await person.execute("\(raw: call)")
                let seen = try await person.query("SHOW idle_in_transaction_session_timeout") { rows in
                    try rows.single { row in try row.string() }
                }
                try await person.execute("ROLLBACK")
                return seen
            }
            #expect(seen == after)
        }
    }

    /// What a person left open holds up changes of that hub, and neither its messages nor those of others.
    @Test(arguments: [
        "SELECT push.pause_hub('news')", "SELECT push.resume_hub('news')", "SELECT push.open_gate('news')",
        "SELECT push.set_rate('news', 1)", "SELECT push.rotate_hub('news')", "SELECT push.add_hub('third')",
        "SELECT push.cancel_devices('news')", "SELECT push.remove_hub('other')",
    ]) func messagesGoOnBesideIt(_ call: String) async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        let other = try await hubs.register(HubSettings(name: "other"))
        let ids = try await store.insert(2)
        _ = try await store.workers.beat(
            store.queue.worker, doing: "", reports: [HubReport(hub: store.hub, hasSecondary: true)])
        try await store.database.withConnection { person in
            try await person.execute("BEGIN")
            try await person.execute("\(raw: call)")
            #expect(try await hubs.takeTokens(store.hub, configured: 5, wanted: 2).granted == 2)
            #expect(try await hubs.takeTokens(other, configured: 5, wanted: 2).granted == 2)
            #expect(try await hubs.slowDown(store.hub, configured: 0, measured: 50, age: 0, because: "429") != nil)
            let claim = try #require(try await store.claim())
            _ = try await store.intend([ids], under: claim.id)
            let post = try await store.test.number("SELECT id FROM push.post")
            try await store.complete([.accepted(post, ids)])
            try await store.database.script(
                #"""
                BEGIN;
                SET LOCAL lock_timeout = '5s';
                INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{"m": "x"}'), ('other', 'a', '{"m": "x"}');
                COMMIT;
                """#)
            try await person.execute("ROLLBACK")
        }
        #expect(try await store.status(ids[0]) == "accepted")
    }

    /// The lock that every INSERT waits for is taken at the COMMIT, and given up after 0.1 s.
    @Test func aHubForWhichSomethingWasEnqueuedMeanwhileStays() async throws {
        let store = try await StoreFixture.make()
        let insert = #"INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{"m": "x"}')"#
        let backend = store.test.another()
        try await backend.withConnection { slow in
            try await slow.execute("BEGIN")
            try await slow.execute("\(raw: insert)")
            let removing = Task {
                try await store.database.script("BEGIN; SELECT push.remove_hub('news'); COMMIT")
            }
            try await store.untilASessionWaits()
            try await store.database.script("BEGIN; SET LOCAL lock_timeout = '5s'; \(insert); COMMIT")
            try await slow.execute("COMMIT")
            let error = await #expect(throws: DatabaseError.self) { try await removing.value }
            #expect(error?.message == "hub \"news\" has 2 pending messages")
        }
        await backend.close()
        #expect(try await store.test.number("SELECT count(*) FROM push.hub WHERE removed_at IS NULL") == 1)
        #expect(try await store.lost() == [])
    }

    @Test func aRemovalThatCannotBeKnownToBeSafeIsGivenUp() async throws {
        let store = try await StoreFixture.make()
        _ = try await Hubs(database: store.database).register(HubSettings(name: "other"))
        let backend = store.test.another()
        try await backend.withConnection { slow in
            try await slow.execute("BEGIN")
            try await slow.execute(#"INSERT INTO push.message (hub, tag, content) VALUES ('other', 'a', '{"m": "x"}')"#)
            let error = await #expect(throws: DatabaseError.self) {
                try await store.database.execute("SELECT push.remove_hub('news')")
            }
            #expect(error?.message == "hub \"news\" was not removed: a transaction that enqueues stays open")
            try await slow.execute("ROLLBACK")
        }
        await backend.close()
        try await store.database.execute("SELECT push.remove_hub('news')")
    }
}
