import HubEmulator
import Postgres
import Store
import Synchronization
import TestSupport
import Testing

@testable import PushWorker

/// A person with psql leaves a transaction open: what it does not touch goes on.
@Suite(.timeLimit(.minutes(10))) struct OpenTransactionTests {
    @Test func anOpenCancelDelaysOnlyTheClaimItHolds() async throws {
        let worker = try await TestWorker.make()
        var slow = Fault(.every(1))
        slow.delayMilliseconds = 500
        try worker.emulator.add(slow)
        try await worker.enqueue(5, tag: "Held")
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.post")
            try await worker.test.database.withTransaction { person in
                try await person.execute("SELECT push.cancel(min(id)) FROM push.message")
                worker.emulator.clearFaults()
                try await worker.enqueue(50)
                try await worker.accepted(50)
                // The five are answered, and their results wait for this transaction.
                #expect(try await worker.test.number("SELECT count(*) FROM push.answers") == 50)
            }
            try await worker.accepted(55)
        }
        #expect(worker.taken.count == 55)
        #expect(try await worker.lost() == [])
    }

    @Test func anOpenCancelOfAnUnpostedMessageIsObeyed() async throws {
        var worker = try await TestWorker.make()
        worker.settings.drainSeconds = 1
        let queueing = worker
        var slow = Fault(.every(1))
        slow.delayMilliseconds = 500
        try worker.emulator.add(slow)
        try await worker.enqueue(300, tag: "Held")  // more than the window takes at once
        try await worker.whileWorking { _ in
            try await queueing.until("SELECT count(*) FROM push.post")
            try await queueing.test.database.withTransaction { person in
                try await person.execute("SELECT push.cancel(max(id)) FROM push.message")
                queueing.emulator.clearFaults()
                try await queueing.enqueue(50)
                try await queueing.accepted(50)
            }
            try await queueing.accepted(349)
        }
        #expect(try await worker.statuses() == "accepted 349, cancelled 1")
        #expect(worker.taken.count == 349)
        #expect(try await worker.lost() == [])
    }

    /// While one intent is written, the next is on its way to the database.
    @Test func twoIntentsAreWrittenAtATime() async throws {
        let worker = try await TestWorker.make()
        var slow = Fault(.every(1))
        slow.delayMilliseconds = 500
        try worker.emulator.add(slow)
        let sent = Mutex(0)
        try await worker.whileWorking { _ in
            // The last message of a claim that has enough unposted ones for two intents, once the window is wide. On a slow
            // machine no claim holds more than 100.
            let last: SQL = """
                SELECT coalesce(max(c.ids[cardinality(c.ids)]), 0) FROM push.claim c
                 WHERE cardinality(c.ids) > 60 + (SELECT count(*) FROM push.post p WHERE p.id / 10000 = c.id)
                   AND (SELECT count(*) FROM push.answers) > 100
                """
            let nothingLeft: SQL = "SELECT (SELECT count(*) FROM push.due) + (SELECT count(*) FROM push.claim)"
            var cancelled: Int64 = 0
            while cancelled == 0 {
                try await Task.sleep(for: .milliseconds(5))
                cancelled = try await worker.test.number(last)
                if cancelled == 0, try await worker.test.number(nothingLeft) == 0 {
                    try await worker.enqueue(600)  // a busy machine may miss the moment
                    sent.withLock { $0 += 600 }
                }
            }
            try await worker.test.database.withTransaction { person in
                try await person.execute("SELECT push.cancel(\(cancelled))")
                try await worker.until(
                    """
                    SELECT count(*) FROM pg_stat_activity
                     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%intent_v1%'
                    """
                ) { $0 == Int64(IntentBatch.atOnce) }
            }
            worker.emulator.clearFaults()
            try await worker.accepted(sent.withLock { $0 } - 1)
        }
        let accepted = sent.withLock { $0 } - 1
        #expect(try await worker.statuses() == "accepted \(accepted), cancelled 1")
        #expect(worker.taken.count == accepted)
        #expect(try await worker.lost() == [])
    }

    @Test func anOpenPauseOfOneHubStopsNoOther() async throws {
        var other = TestWorker.news
        other.name = "other"
        other.hub = "other-hub"
        var worker = try await TestWorker.make(TestWorker.news, other)
        worker.settings.probeSeconds = 0.01
        let working = worker
        // A probe is always due, and has to be written to the row that is held.
        let hubs = Hubs(database: worker.test.database)
        let news = try await hubs.register(worker.hub)
        try await hubs.hold(news, because: "a test", probeAfter: 0)
        try await worker.whileWorking { _ in
            try await working.test.database.withTransaction { person in
                try await person.execute("SELECT push.pause_hub('news')")
                try await working.enqueue(20, to: "other")
                try await working.accepted(20)
            }
        }
        #expect(try await worker.lost() == [])
    }
}
