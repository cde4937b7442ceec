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
}
